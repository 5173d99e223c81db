import FarmArtifacts
import FarmTesting
import Foundation
import Testing

@Suite("Files below an output folder")
struct OutputTreeTests {
    @Test(
        "a name that leads out of the folder is refused, and nothing is made",
        arguments: [
            "../evil", "logs/../../evil", "/etc/evil", "logs//evil", "logs/./evil", "..", "", "a/",
            "logs/\u{0}/evil", "..\u{301}/../evil",
        ]
    )
    func outside(_ name: String) throws {
        let folder = try TemporaryFolder("output")
        #expect(throws: ArtifactError.unsafePath(name)) {
            try OutputTree(folder.file("out")).place(name)
        }
        #expect(!FileManager.default.fileExists(atPath: folder.file("evil")))
    }

    @Test("a folder that is a link is refused, and a file that is one is not followed")
    func links() throws {
        let folder = try TemporaryFolder("output")
        let files = FileManager.default
        try folder.write("elsewhere/kept", "as it was")
        try folder.write("out/here", "")
        try files.createSymbolicLink(
            atPath: folder.file("out/logs"),
            withDestinationPath: folder.file("elsewhere")
        )
        try files.createSymbolicLink(
            atPath: folder.file("out/summary.json"),
            withDestinationPath: folder.file("elsewhere/kept")
        )
        let tree = OutputTree(folder.file("out"))
        #expect(throws: ArtifactError.unsafePath("logs/a")) { try tree.place("logs/a") }
        let summary = try tree.place("summary.json")
        #expect(throws: ArtifactError.self) { try UnsyncedFile.write(Data("{}".utf8), to: summary) }
        let kept = try String(contentsOfFile: folder.file("elsewhere/kept"), encoding: .utf8)
        #expect(kept == "as it was")
    }

    @Test("folders of a name are made")
    func made() throws {
        let folder = try TemporaryFolder("output")
        try folder.write("out/here", "")
        let path = try OutputTree(folder.file("out")).place("logs/job/A-1.log")
        try UnsyncedFile.write(Data("words".utf8), to: path)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "words")
    }
}
