import FarmCore
import FarmGit
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@testable import FarmReferences

@Suite("looking at a store")
struct LookTests {
    @Test("a difference is read by name, and equal bytes under another name are a rename")
    func diff() throws {
        let fixture = try StoreFixture()
        let before = try fixture.record([
            try fixture.recording("a", ["S/1": "one", "S/2": "two", "S/3": "x", "T/1": "t"]),
            try fixture.recording("b", ["S/1": "moved", "S/2": "blank", "S/3": "blank"]),
        ])
        let after = try fixture.record([
            try fixture.recording("a", ["S/1": "new", "S/2": "two", "S/9": "x", "T/1": "t"]),
            try fixture.recording("c", ["S/1": "moved", "S/3": "blank", "S/8": "blank"]),
            try fixture.recording("d", ["S/1": "moved"]),
        ])
        // The second set does not build on the first, so it contains only the pictures recorded
        // again.
        let diff = try fixture.store.diff(before.pin, after.pin)
        let lines = [
            "M a/S/1", "R a/S/3 → a/S/9", "R b/S/1 → c/S/1", "R b/S/3 → c/S/3",
            "R b/S/2 → c/S/8", "+ d/S/1",
        ]
        #expect(diff.lines == lines)
        #expect(diff.title == "1 changed, 1 new, 4 renamed")
        #expect(diff.folders == ["S"])
        #expect(try fixture.store.diff(after.pin, after.pin).isEmpty)
        #expect(try fixture.store.diff(after.pin, before.pin).title.contains("1 removed"))
    }

    @Test("the life of a picture is told through renames, newest first")
    func life() throws {
        let fixture = try StoreFixture()
        let history = try History(
            fixture,
            [
                ["S/old": "1", "S/other": "x"], ["S/old": "2", "S/other": "x"],
                ["S/old": "2", "S/other": "y"], ["S/new": "2", "S/other": "y"],
                ["S/other": "y"], ["S/new": "3", "S/other": "y"],
            ]
        )
        let log = try fixture.store.log()
        #expect(log.map(\.title).prefix(2) == ["entry 5", "entry 4"])
        #expect(log.first?.set == history.sets.last)
        #expect(log.first?.seconds == 1_700_000_500)
        #expect(log.first?.trailers["Snapfarm-Recorder"] == "Ann")
        #expect(log.first?.visible == true)
        #expect(log.last?.set == nil)
        #expect(try fixture.store.log(limit: 2).count == 2)

        let new = try id("a", "S/new")
        let life = try fixture.store.baseline(of: new, in: history.pins[5]).events
        #expect(life.map(\.change) == [.added, .removed, .renamed, .changed, .added])
        #expect(life.map(\.entry.title).last == "entry 0")
        let old = try id("a", "S/old")
        #expect(life[2].from == old)
        #expect(life[3].objectID == object("2"))
        let never = try fixture.store.baseline(of: id("a", "S/never"), in: history.pins[5])
        #expect(never.events == [] && never.reference == nil)
        #expect(life[2].line.hasPrefix("renamed from a/S/old · "))
        #expect(life[2].line.hasSuffix("2023-11-14T22:18:20Z entry 3 (Ann)"))
        #expect(try fixture.faults() == [])
    }

    @Test("a set that lost its reference is listed as pruned, and its life is still told")
    func prunedSet() throws {
        let fixture = try StoreFixture()
        let history = try History(fixture, [["S/1": "1"], ["S/1": "2"]])
        try fixture.git("update-ref", "-d", "refs/snapfarm/sets/\(history.sets[0])")
        let log = try fixture.store.log()
        #expect(log.map(\.visible) == [true, false, false])
        #expect(log[1].line.hasSuffix("[not in this store]"))
        let baseline = try fixture.store.baseline(of: id("a", "S/1"), in: history.pins[1])
        #expect(baseline.events.count == 2)
        #expect(try fixture.store.sets() == [history.sets[1]])
    }

    @Test("a set is described by cell and suite with what it weighs")
    func describe() throws {
        let fixture = try StoreFixture()
        let made = try fixture.record([
            try fixture.recording(
                "a",
                ["S/1": "12345", "S/deep/2": "1234567", "T/1": "x"],
                suites: ["S": record(["browser": "1"], tests: ["S/1": "t"])]
            ),
            try fixture.recording("b", ["S/1": "12345"]),
        ])
        let description = try fixture.store.describe(made.pin)
        #expect(description.set == made.set)
        #expect(description.pictures == 4)
        #expect(description.bytes == 34)
        #expect(description.cells.first?.suites.map(\.folder) == ["S", "T"])
        #expect(description.cells.first?.suites.first?.renderer == ["browser": "1"])
        #expect(try fixture.store.pin(ofSet: made.set) == made.pin)
        #expect(try fixture.store.references(made.pin).count == 4)
        _ = try JSONEncoder().encode(description)
        #expect(throws: GitError.self) {
            try fixture.store.pin(ofSet: object("not a set"))
        }
    }

    @Test("sizes count a shared picture once in the store and once in each of its places")
    func size() throws {
        let fixture = try StoreFixture()
        let history = try History(
            fixture,
            [["S/1": "12345", "T/1": "12345"], ["S/1": "1234567", "T/1": "12345"]]
        )
        let unlisted = try fixture.record([try fixture.recording("z", ["U/1": "123"])])
        let size = try fixture.store.size(live: [history.pins[1]])
        #expect(size.total == PictureBytes(pictures: 3, bytes: 27))
        #expect(size.live == PictureBytes(pictures: 2, bytes: 20))
        #expect(size.cells.map(\.name) == ["a", "z"])
        #expect(size.cells.map(\.total.bytes) == [20, 7])
        #expect(size.suites.map(\.name) == ["a/S", "a/T", "z/U"])
        #expect(size.suites.map(\.total.bytes) == [20, 9, 7])
        // The picture that a/S once shared with a/T is now only in a/T.
        #expect(size.suites.map(\.live.bytes) == [11, 9, 0])
        #expect(size.ages.map(\.set) == history.sets + [unlisted.set])
        #expect(size.ages.map(\.total.bytes) == [9, 11, 7])
        #expect(size.ages.map(\.live.bytes) == [9, 11, 0])
        #expect(size.ages.map(\.seconds) == [1_700_000_000, 1_700_000_100, nil])
        #expect(size.diskBytes > 27)
    }
}
