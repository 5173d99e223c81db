import FarmCore
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@testable import FarmReferences

@Suite("rotating a store")
struct RotateTests {
    @Test("moves the kept sets with their ids, their journal and their keep references")
    func moved() throws {
        let fixture = try PruneFixture()
        let old = try fixture.record(fixture.pictures("old"), daysAgo: 200)
        let one = try fixture.record(fixture.pictures("one", count: 60), daysAgo: 150)
        let two = try fixture.record(fixture.pictures("two"), daysAgo: 100, cell: "b")
        try fixture.fixture.git("update-ref", "refs/snapfarm/keep/one", one.set.hex)
        try fixture.fixture.git("update-ref", "refs/snapfarm/keep/old", old.set.hex)
        let path = fixture.folder.file("next.git")
        let rotation = try fixture.store.rotate(
            keeping: [two.set, one.set],
            to: path,
            now: fixture.now
        )
        #expect(Set(rotation.sets) == [one.set, two.set])
        let next = try ReferenceStore(opening: path)
        for (made, cell) in [(one, "a"), (two, "b")] {
            for reference in try next.references(made.pin, cell: CellID(cell)) {
                let bytes = fixture.fixture.bytes[reference.objectID]
                #expect(try next.read(reference.objectID) == bytes)
            }
        }
        let names = try fixture.shell("git", "-C", path, "for-each-ref", "--format=%(refname)")
        #expect(
            Set(names.split(separator: "\n").map(String.init)) == [
                "refs/heads/main", "refs/snapfarm/format", "refs/snapfarm/keep/one",
                "refs/snapfarm/pruned", "refs/snapfarm/sets/\(one.set)",
                "refs/snapfarm/sets/\(two.set)",
            ]
        )
        #expect(try next.prunedFact(for: old.pin)?.nearest == one.set)
        let trailers = try fixture.shell(
            "git",
            "-C",
            path,
            "log",
            "--first-parent",
            "--format=%(trailers:key=Snapfarm-Set,valueonly)",
            "main"
        )
        #expect(trailers.split(separator: "\n").map(String.init) == [two.set.hex, one.set.hex])
        let fsck = try run("git", ["-C", path, "fsck", "--full", "--strict"])
        #expect(fsck.status == 0, "\(fsck.errors)")
        #expect(try fixture.fixture.faults() == [])
    }

    @Test("that was cut short is continued, and never writes into another store")
    func continued() throws {
        let fixture = try PruneFixture()
        let one = try fixture.record(fixture.pictures("one"), daysAgo: 150)
        let path = fixture.folder.file("next.git")
        for step in [
            PruneStep.finishPack, .revealIndex, .writeNote, .writeJournal, .createReferences,
        ] {
            let conditions = PruneConditions(
                before: { if $0 == step { throw StoreFixture.Missing() } },
                lockSeconds: 0
            )
            _ = try? fixture.store.rotate(
                keeping: [one.set],
                to: path,
                now: fixture.now,
                conditions: conditions
            )
        }
        _ = try fixture.store.rotate(
            keeping: [one.set],
            to: path,
            old: .alternate,
            now: fixture.now
        )
        let fsck = try run("git", ["-C", path, "fsck", "--full", "--strict"])
        #expect(fsck.status == 0, "\(fsck.errors)")
        let files = try FileManager.default.contentsOfDirectory(atPath: path + "/objects/pack")
        #expect(!files.contains { $0.hasPrefix("tmp_") })
        let two = try fixture.record(fixture.pictures("two"))
        for target in [fixture.store.path, fixture.main] {
            #expect(throws: PruneError.self) {
                try fixture.store.rotate(keeping: [two.set], to: target, now: fixture.now)
            }
        }
        #expect(throws: PruneError.self) {
            try fixture.store.rotate(keeping: [two.set], to: path, now: fixture.now)
        }
        #expect(try fixture.fixture.faults() == [])
    }
}
