import FarmCore
import FarmGit
import FarmReferences
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@Suite("packs that a prune copies")
struct PackTests {
    /// Returns pictures that differ in a few bytes, so that Git makes deltas of them.
    private func alike(_ fixture: PruneFixture, _ text: String) -> [String: String] {
        let body = (0..<400).map { "\($0 &* 2_654_435_761 % 9_973)" }.joined(separator: " ")
        return Dictionary(
            uniqueKeysWithValues: (0..<8).map { ("S/\($0)", "\(body) \(text) \($0)") }
        )
    }

    private func deltas(_ fixture: PruneFixture) throws -> Int {
        let listing = try fixture.fixture.git(
            "cat-file",
            "--batch-all-objects",
            "--batch-check=%(deltabase)"
        )
        let none = String(repeating: "0", count: 40)
        return listing.split(separator: "\n").count { $0 != none }
    }

    @Test(
        "keep a delta whose base stays, and write it whole where the base goes",
        arguments: [
            [], ["-c", "repack.useDeltaBaseOffset=false"],
        ]
    )
    func deltas(options: [String]) throws {
        let fixture = try PruneFixture()
        try fixture.record(alike(fixture, "old"), daysAgo: 200)
        let new = try fixture.record(alike(fixture, "new"))
        try fixture.commit(new.pin)
        let repack = try run(
            "git",
            options.isEmpty
                ? ["-C", fixture.store.path, "repack", "-adfq", "--depth=50"]
                : ["-C", fixture.store.path] + options + ["repack", "-adfq", "--depth=50"]
        )
        #expect(repack.status == 0)
        let before = try deltas(fixture)
        #expect(before > 8)
        try fixture.prune()
        let after = try deltas(fixture)
        #expect(after > 0 && after < before)
        #expect(try fixture.fixture.faults() == [])
        #expect(try fixture.isWhole(new))
        let pack = try #require(try fixture.packFiles().first { $0.hasSuffix(".idx") })
        let verified = try run(
            "git",
            ["verify-pack", fixture.store.path + "/objects/pack/" + pack]
        )
        #expect(verified.status == 0, "\(verified.errors)")
    }

    @Test("that a .keep file protects stay")
    func keep() throws {
        let fixture = try PruneFixture()
        let old = try fixture.record(fixture.pictures("old"), daysAgo: 200)
        try fixture.fixture.git("repack", "-adq")
        let pack = try #require(try fixture.packFiles().first { $0.hasSuffix(".pack") })
        let base = fixture.store.path + "/objects/pack/" + pack.dropLast(5)
        try Data().write(to: URL(fileURLWithPath: base + ".keep"))
        let new = try fixture.record(fixture.pictures("new"))
        try fixture.commit(new.pin)
        let report = try fixture.prune()
        #expect(report.decision.dropped == [old.set])
        #expect(try fixture.packFiles().contains(pack))
        #expect(try fixture.packFiles().filter { $0.hasSuffix(".pack") }.count == 2)
        #expect(try fixture.isWhole(new) && fixture.isWhole(old))
        #expect(try fixture.fixture.faults() == [])
    }

    @Test("are refused when a byte of a kept picture is wrong, and nothing is deleted")
    func damaged() throws {
        let fixture = try PruneFixture()
        fixture.fixture.staysBroken = true
        try fixture.record(fixture.pictures("old"), daysAgo: 200)
        let new = try fixture.record(fixture.pictures("new", count: 60))
        try fixture.commit(new.pin)
        let name = try #require(try fixture.packFiles().first { $0.hasSuffix(".pack") })
        let path = fixture.store.path + "/objects/pack/" + name
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let place = try #require(bytes.range(of: Data("PNG new 33".utf8)))
        bytes[place.lowerBound] ^= 1
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        try bytes.write(to: URL(fileURLWithPath: path))
        let files = try fixture.packFiles()
        let error = #expect(throws: GitError.self) { try fixture.prune() }
        #expect(error?.code == "store-damaged")
        #expect(try fixture.packFiles() == files)
    }
}
