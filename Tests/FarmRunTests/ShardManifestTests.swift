import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmRun

@Suite("The manifest of a shard")
struct ShardManifestTests {
    private static func manifest(evidence: Digest? = nil) -> ShardManifest {
        ShardManifest(shard: "0/4", run: "r1", state: .passed, evidence: evidence, policies: [])
    }

    @Test("what is written is read back whole, and a changed word is noticed")
    func whole() throws {
        let bytes = try Self.manifest(evidence: Digest(of: Data("e".utf8))).json()
        let read = try JSONDecoder().decode(ShardManifest.self, from: bytes)
        #expect(read.isWhole && read.shard == "0/4")
        let text = String(decoding: bytes, as: UTF8.self)
        for (old, new) in [("0/4", "1/4"), ("passed", "failed"), ("r1", "r2")] {
            let other = Data(text.replacing(old, with: new).utf8)
            let changed = try JSONDecoder().decode(ShardManifest.self, from: other)
            #expect(!changed.isWhole, "\(old) became \(new)")
        }
    }

    @Test("a folder that is no shard's output is named with what it is")
    func folders() throws {
        let folder = try TemporaryFolder("shard")
        let none = #expect(throws: NotAShard.self) { try ShardFolder(folder.file("none")) }
        #expect(none?.fact == "there is nothing")
        try folder.write("empty/x", "")
        let empty = #expect(throws: NotAShard.self) { try ShardFolder(folder.file("empty")) }
        #expect(empty?.fact == "it holds no shard/")
        try folder.write("whole/summary.json", "{}")
        let whole = #expect(throws: NotAShard.self) { try ShardFolder(folder.file("whole")) }
        #expect(whole?.fact.contains("a whole run") == true)
        try folder.write("later/shard/manifest.json", #"{"schemaVersion": 99}"#)
        let later = #expect(throws: NotAShard.self) { try ShardFolder(folder.file("later")) }
        #expect(later?.fact.contains("its version is 99") == true)
    }

    @Test("a share whose run never began has no evidence; a damaged one is a fault of its folder")
    func evidence() throws {
        let folder = try TemporaryFolder("shard")
        try folder.write("a/shard/manifest.json", try Self.manifest().json())
        #expect(try ShardFolder(folder.file("a")).evidence() == nil)
        let digest = Digest(of: Data("what was written".utf8))
        try folder.write("b/shard/manifest.json", try Self.manifest(evidence: digest).json())
        try folder.write("b/shard/evidence.json", "something else")
        #expect(throws: ShareSetError.self) { try ShardFolder(folder.file("b")).evidence() }
    }

    @Test(
        "a merge does not write over what it reads",
        arguments: [
            (["/s/0", "/s/1"], "/s/1", "/s/1"),
            (["/s/0"], "/s/0/shard", "/s/0"),
            (["/out/report/0"], "/out", "/out/report/0"),
            (["/s/0", "/s/1"], "/s/merged", nil),
        ] as [([String], String, String?)]
    )
    func inTheWay(folders: [String], output: String, found: String?) {
        #expect(MergeRequest.folder(of: folders, inTheWayOf: output) == found)
    }
}
