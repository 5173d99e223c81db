import FarmCore
import FarmReferences
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@Suite("moving references")
struct MoveTests {
    private let suites = [
        "S": record(["browser": "1"], tests: ["S/1": "t1", "S/deep/2": "t2"]),
        "T": record(["browser": "2"], tests: ["T/1": "t"]),
    ]

    private func base(_ fixture: StoreFixture) throws -> RecordedSet {
        try fixture.record([
            try fixture.recording(
                "old",
                ["S/1": "1", "S/deep/2": "2", "T/1": "3"],
                suites: suites
            ),
            try fixture.recording("other", ["S/1": "x"]),
        ])
    }

    @Test("a cell moves without a new subtree and without a new picture")
    func cell() throws {
        let fixture = try StoreFixture()
        let made = try base(fixture)
        let plan = try fixture.store.planMove("old", to: "new", in: made.pin)
        #expect(plan.keptSubtrees == 2)
        #expect(plan.title == "3 moved")
        let lines = [
            "old/S → new/S (1 picture)", "old/S/deep → new/S/deep (1 picture)",
            "old/T → new/T (1 picture)",
        ]
        #expect(plan.lines == lines)
        let before = try fixture.git("count-objects", "-v")
        let moved = try fixture.store.write(plan, current: made.pin)
        #expect(moved.pin.folders(of: CellID("new")) == made.pin.folders(of: CellID("old")))
        #expect(moved.pin.folders(of: CellID("old")) == [:])
        #expect(moved.pin.folders(of: CellID("other")) == made.pin.folders(of: CellID("other")))
        let diff = try fixture.store.diff(made.pin, moved.pin)
        #expect(diff.renamed == plan.moved)
        #expect(diff.title == "3 renamed")
        // Only the root and the commit are new: "other" keeps its tree, and "new" has that of
        // "old".
        #expect(try count(fixture) == (try objects(before)) + 2)
        #expect(try fixture.faults() == [])
    }

    @Test("a cell moves into one that has other suites, and takes the names of its device along")
    func cellWithNames() throws {
        let fixture = try StoreFixture()
        let made = try fixture.record([
            try fixture.recording("old", ["S/a-iPhone-8": "1", "S/plain": "2"]),
            try fixture.recording("new", ["S/b": "3", "U/1": "4"]),
        ])
        let rule = try RenameRule(old: "{n}-iPhone-8", new: "{n}-iPhone-16")
        let plan = try fixture.store.planMove("old", to: "new", in: made.pin, renames: [rule])
        #expect(plan.keptSubtrees == 0)
        let moved = try fixture.store.write(plan, current: made.pin)
        let names = try fixture.store.references(moved.pin).map(\.id.text)
        #expect(names == ["new/S/a-iPhone-16", "new/S/b", "new/S/plain", "new/U/1"])
        #expect(try fixture.faults() == [])
    }

    @Test("a suite and a picture move with the tests that make them")
    func suiteAndPicture() throws {
        let fixture = try StoreFixture()
        let made = try base(fixture)
        let store = fixture.store
        var plan = try store.planMove("old/S", to: "old/New", in: made.pin)
        var moved = try store.write(plan, current: made.pin)
        var renamed = try store.suiteRecord(moved.pin, cell: CellID("old"), folder: "New")
        #expect(renamed?.tests == ["New/1": TestID("t1"), "New/deep/2": TestID("t2")])
        #expect(renamed?.renderer == ["browser": "1"])

        plan = try store.planMove("old/New/1.png", to: "old/T/one.png", in: moved.pin)
        #expect(plan.lines == ["old/New/1 → old/T/one (1 picture)"])
        moved = try store.write(plan, current: moved.pin)
        renamed = try store.suiteRecord(moved.pin, cell: CellID("old"), folder: "T")
        #expect(renamed?.tests == ["T/1": TestID("t"), "T/one": TestID("t1")])
        let left = try store.suiteRecord(moved.pin, cell: CellID("old"), folder: "New")
        #expect(left?.tests == ["New/deep/2": TestID("t2")])

        plan = try store.planMove("old/New/deep", to: "old/New/deeper/still", in: moved.pin)
        moved = try store.write(plan, current: moved.pin)
        let names = try store.references(moved.pin, cell: CellID("old")).map(\.id.text)
        #expect(names == ["old/New/deeper/still/2", "old/T/1", "old/T/one"])
        #expect(try fixture.faults() == [])
    }

    @Test("a cell, a suite and a picture retire")
    func retire() throws {
        let fixture = try StoreFixture()
        let made = try base(fixture)
        for (path, left) in [
            ("old", ["other/S/1"]), ("old/S/deep", ["old/S/1", "old/T/1", "other/S/1"]),
            ("old/T/1.png", ["old/S/1", "old/S/deep/2", "other/S/1"]),
        ] {
            let plan = try fixture.store.planRetirement(of: path, in: made.pin)
            #expect(plan.retired.count == 4 - left.count)
            let after = try fixture.store.write(plan, current: made.pin)
            #expect(try fixture.store.references(after.pin).map(\.id.text) == left)
            #expect(try fixture.store.publish(after.pin).wasVisible)
        }
        #expect(try fixture.faults() == [])
    }

    @Test(
        "a pattern moves all pictures that it matches, and each sign stands for what it took",
        arguments: [
            ("*/S/1", "*/S/one", ["old/S/one", "old/S/deep/2", "old/T/1", "other/S/one"]),
            ("*/S/*.png", "*/U/*.png", ["old/T/1", "old/U/1", "old/U/deep/2", "other/U/1"]),
            ("old/?/1", "new/?/a", ["new/S/a", "new/T/a", "old/S/deep/2", "other/S/1"]),
            ("o*", "n*", ["nld/S/1", "nld/S/deep/2", "nld/T/1", "nther/S/1"]),
            (#"*\r/S/*"#, #"*\r/\S/x*"#, ["old/S/1", "old/S/deep/2", "old/T/1", "other/S/x1"]),
        ]
    )
    func pattern(old: String, new: String, names: [String]) throws {
        let fixture = try StoreFixture()
        let made = try base(fixture)
        let plan = try fixture.store.planMove(old, to: new, in: made.pin)
        let moved = try fixture.store.write(plan, current: made.pin)
        #expect(try fixture.store.references(moved.pin).map(\.id.text) == names.sorted())
        #expect(try fixture.faults() == [])
    }

    @Test("a name that has the signs of a pattern is a name where it is there")
    func literal() throws {
        let fixture = try StoreFixture()
        let made = try fixture.record([try fixture.recording("old", ["S/a?": "1", "S/ab": "2"])])
        let plan = try fixture.store.planMove("old/S/a?", to: "old/S/a", in: made.pin)
        #expect(plan.lines == ["old/S/a? → old/S/a (1 picture)"])
    }

    @Test("two pictures that a pattern would give one name are refused")
    func collision() throws {
        let fixture = try StoreFixture()
        let made = try fixture.record([try fixture.recording("old", ["S/a-b": "1", "S/ab-": "2"])])
        #expect(throws: MoveError.twice(try #require(SnapshotID(exactly: "old/S/ab")))) {
            try fixture.store.planMove("*-*", to: "**", in: made.pin)
        }
    }

    @Test(
        "what cannot move is refused before anything is written",
        arguments: [
            ("old", "other", "move-target-taken"), ("none", "new", "move-nothing-there"),
            ("old/none", "old/x", "move-nothing-there"), ("old", "old", "move-same-name"),
            ("old", "new/S", "move-path-invalid"), ("../x", "new", "move-path-invalid"),
            ("old", "../new", "move-path-invalid"), ("", "x", "move-path-invalid"),
            ("old/S/1.png", "old/T/1.png", "move-target-taken"),
            ("*/S/x*", "*/S/y*", "move-nothing-matches"),
            ("*/S/1", "new/S/1", "move-pattern-invalid"),
            ("old/S/1", "*/1", "move-pattern-invalid"),
            ("*/?/1", "?/*/1", "move-pattern-invalid"), ("*/S/1", "*", "move-path-invalid"),
            ("*d/S/1", "*d/T/1", "move-target-taken"),
        ]
    )
    func refused(old: String, new: String, code: String) throws {
        let fixture = try StoreFixture()
        let made = try base(fixture)
        let error = #expect(throws: MoveError.self) {
            try fixture.store.planMove(old, to: new, in: made.pin)
        }
        #expect(error?.code == code)
    }

    @Test("a plan is for one pin, and names that a file system confuses are refused")
    func late() throws {
        let fixture = try StoreFixture()
        let made = try base(fixture)
        let plan = try fixture.store.planMove("old", to: "OTHER", in: made.pin)
        #expect(throws: MoveError.planOutdated) {
            try fixture.store.write(plan, current: ReferencePin())
        }
        #expect(throws: ReferenceStoreError.self) {
            try fixture.store.write(plan, current: made.pin)
        }
        let rule = try RenameRule(old: "{a}/{n}", new: "S/{n}-{a}")
        let many = try fixture.store.planMove("old", to: "old", in: made.pin, renames: [rule])
        #expect(many.moved.map(\.to.text) == ["old/S/1-S", "old/S/1-T"])
    }

    private func objects(_ text: String) throws -> Int {
        let values = text.split(whereSeparator: \.isWhitespace)
        let place = try #require(values.firstIndex(of: "count:"))
        return try #require(Int(values[place + 1]))
    }

    private func count(_ fixture: StoreFixture) throws -> Int {
        try objects(try fixture.git("count-objects", "-v"))
    }
}
