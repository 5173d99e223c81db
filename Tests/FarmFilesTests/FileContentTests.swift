// Tests of the content of single files, and of the check that it is the content of an earlier time.
import FarmFiles
import FarmTesting
import Foundation
import Testing

@Suite("The content of a file")
struct FileContentTests {
    private static func now() -> Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

    @Test("is another text for another content, kind, or none at all")
    func texts() throws {
        let folder = try TemporaryFolder("content")
        try folder.write("a/one", "x")
        try folder.write("a/same", "x")
        try folder.write("two", "y")
        let content = FileContent(below: folder.path)
        let found = ["a/one", "two", "a", "none", "two/below"].map { content.text(at: $0) }
        #expect(found[0] != nil && Set(found).count == 4)
        #expect(found[3] == "none" && found[4] == "none" && found[2] == "folder")
        #expect(content.text(at: "a/same") == found[0])
        #expect(content.text(at: folder.file("a/one")) == found[0])
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link"),
            withDestinationPath: "a/one"
        )
        #expect(content.text(at: "link") == found[0])
        #expect(content.text(at: "/dev/null") == nil)
    }

    @Test("is not known if a file, a link or a folder of its path has changed since")
    func changed() async throws {
        let folder = try TemporaryFolder("content")
        for path in ["a/one", "b/two", "c/d/three", "old/x", "new/x"] {
            try folder.write(path, path)
        }
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link"),
            withDestinationPath: "a"
        )
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("last"),
            withDestinationPath: "a/one"
        )
        try await Task.sleep(for: .milliseconds(60))
        let since = Self.now()
        let before = FileContent(below: folder.path, unchangedSince: since)
        let paths = ["a/one", "b/two", "b/none", "c/d/three", "link/one", "old/x", "none"]
        #expect(paths.allSatisfy { before.text(at: $0) != nil })
        try await Task.sleep(for: .milliseconds(60))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)],
            ofItemAtPath: folder.file("a/one")
        )
        #expect(before.text(at: "a/one") == nil && before.text(at: "b/two") != nil)
        try folder.write("b/none", "")
        #expect(before.text(at: "b/none") == nil && before.text(at: "c/d/three") != nil)
        #expect(before.text(at: "last") == nil && before.text(at: "c/d/three") != nil)
        try FileManager.default.removeItem(atPath: folder.file("link"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link"),
            withDestinationPath: "c"
        )
        #expect(before.text(at: "link/d/three") == nil)
        try FileManager.default.moveItem(atPath: folder.file("old"), toPath: folder.file("older"))
        try FileManager.default.moveItem(atPath: folder.file("new"), toPath: folder.file("old"))
        #expect(before.text(at: "old/x") == nil && before.text(at: "none") == nil)
        #expect(FileContent(below: folder.path).text(at: "old/x") != nil)
    }
}
