import FarmArtifacts
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmReview

@Suite("The files of a run whose machine is gone")
struct KeptFilesTests {
    private func changed() async throws -> (bench: ReviewBench, judged: JudgedRun) {
        let bench = try ReviewBench()
        return (bench, try await bench.finish(["one": 200, "two": 10, "three": 90]))
    }

    @Test("a run's summary is read from where it lies, and an older run has none")
    func summary() async throws {
        let (bench, judged) = try await changed()
        #expect(try await bench.fromLedger().summary() == judged.summary)
        #expect(try bench.fromZip(judged).summary() == nil)
        let folder = try bench.fromFolder(judged) { folder in
            let bytes = try JSONEncoder().encode(judged.summary)
            try bytes.write(to: URL(fileURLWithPath: folder + "/../summary.json"))
        }
        #expect(try folder.summary() == judged.summary)
    }

    @Test(
        "a summary that says of a picture what its manifest does not is refused",
        arguments: ["verdict", "capture", "reference", "run", "less", "text"]
    )
    func other(_ change: String) async throws {
        let (bench, judged) = try await changed()
        var summary = judged.summary
        let index = try #require(summary.snapshots.firstIndex { $0.verdict == .changed })
        switch change {
        case "verdict": summary.snapshots[index].verdict = .new
        case "capture": summary.snapshots[index].capture = Digest(of: Data()).description
        case "reference": summary.snapshots[index].reference = ObjectID(ofBlob: Data()).hex
        case "run": summary.run.id = "r2"
        case "less": summary.snapshots.remove(at: index)
        default: break
        }
        let bytes = change == "text" ? Data("{}".utf8) : try JSONEncoder().encode(summary)
        let run = try bench.fromFolder(judged) { _ in
            try bench.folder.write("out/summary.json", bytes)
        }
        #expect(throws: ReviewRefusal.self) { try run.summary() }
    }

    @Test(
        "no path leads out of a folder, nor along a link",
        arguments: [
            "../secret", "/etc/passwd", "a/../../secret", "captures/../../secret", "link/secret",
            "file", "", "captures//x", "captures/\u{0}",
        ]
    )
    func paths(_ path: String) throws {
        let folder = try TemporaryFolder("kept")
        try folder.write("secret", "secret")
        try folder.write("out/FailureDiffs/manifest.json", "{}")
        try folder.write("out/captures/x", "x")
        let files = FileManager.default
        try files.createSymbolicLink(
            atPath: folder.file("out/link"),
            withDestinationPath: folder.path
        )
        try files.createSymbolicLink(
            atPath: folder.file("out/file"),
            withDestinationPath: folder.file("secret")
        )
        let kept = try KeptFiles(folder: folder.file("out"))
        #expect(try kept.bytes("captures/x", bytesMax: 10) == Data("x".utf8))
        #expect(try kept.bytes("captures/x", bytesMax: 0) == nil)
        #expect(try kept.bytes(path, bytesMax: 100) == nil)
    }

    @Test("a folder of differences alone holds no captures, and a zip of an output folder does")
    func alone() throws {
        let folder = try TemporaryFolder("kept")
        try folder.write("FailureDiffs/manifest.json", "{}")
        try folder.write("FailureDiffs/summary.json", "{}")
        try folder.write("FailureDiffs/captures/x", "x")
        let diffs = try KeptFiles(folder: folder.file("FailureDiffs"))
        #expect(diffs.has("FailureDiffs/manifest.json") && diffs.has("summary.json"))
        #expect(!diffs.has("captures/x"))
        let blobs = try BlobStore(folder: folder.file("blobs"))
        let paths = ["out/FailureDiffs/manifest.json", "out/captures/x", "out/summary.json"]
        let zip = folder.file("all.zip")
        _ = try ZipArchive(paths.map { try ZipEntry(path: $0, text: Data("{}".utf8)) })
            .write(toFileAt: zip, from: blobs)
        let kept = try KeptFiles(
            zip: ZipReader(fileAt: zip),
            origin: "all.zip",
            scratch: folder.path
        )
        #expect(kept.has("captures/x") && kept.has("summary.json"))
        #expect(kept.has("FailureDiffs/manifest.json") && !kept.has("out/captures/x"))
    }
}
