import FarmCore
import FarmReferences
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@Suite("alternates in a store")
struct AlternatesTests {
    /// A store whose cell `a` has two pictures, the first with two alternates.
    private struct Fixture {
        let store: StoreFixture
        /// The set without alternates.
        let bare: RecordedSet
        let made: RecordedSet
        let one: SnapshotID

        init() throws {
            store = try StoreFixture()
            one = try id("a", "S/in/one")
            bare = try store.record(
                [try store.recording("a", ["S/in/one": "1", "S/two": "2", "T/three": "3"])]
            )
            made = try store.accept(["1b", "1a"], of: one, over: bare.pin)
        }

        func alternates(_ pin: ReferencePin, cell: String = "a") throws -> [String: [ObjectID]] {
            let all = try store.store.references(pin, cell: CellID(cell))
            return Dictionary(
                uniqueKeysWithValues: all.filter { !$0.alternates.isEmpty }
                    .map { ("\($0.id)", $0.alternates) }
            )
        }
    }

    @Test("an alternate is a file beside its picture, and without alternates a set has its old id")
    func files() throws {
        let fixture = try Fixture()
        let store = fixture.store.store
        let sorted = [object("1a"), object("1b")].sorted()
        #expect(try fixture.alternates(fixture.made.pin) == ["a/S/in/one": sorted])
        let names = try fixture.store.git("ls-tree", "--name-only", "\(fixture.made.set):a/S/in")
        let expected =
            sorted.map { "one.alternate-\($0.hex.prefix(12)).PNG" } + ["one.png"]
        #expect(names.split(separator: "\n").map(String.init) == expected)
        #expect(try store.references(fixture.made.pin).count == 3)
        #expect(try store.diff(fixture.bare.pin, fixture.made.pin).title == "2 alternates")
        // Accepted again, nothing changes; only the suite that has them has another tree.
        let again = try fixture.store.accept(["1a"], of: fixture.one, over: fixture.made.pin)
        #expect(again == fixture.made)
        let same = Set(fixture.bare.pin.entries.map(\.object))
            .intersection(fixture.made.pin.entries.map(\.object))
        #expect(same.count == 1)
        #expect(try store.verify(pins: [NamedPin(name: "p", pin: again.pin)]).isSound)
        #expect(try store.describe(again.pin).pictures == 3)

        let plan = try store.alternatesPlan(
            of: again.pin,
            uses: AlternateUses([
                fixture.one: [
                    object("1a"): AlternateUse(idle: 9), object("1b"): AlternateUse(idle: 2),
                ]
            ]),
            runs: 5
        )
        #expect(plan.unused.map(\.alternate) == [object("1a")])
        let one = try store.removeAlternates(plan, from: again.pin)
        #expect(try fixture.alternates(one.pin) == ["a/S/in/one": [object("1b")]])
        let all = try store.alternatesPlan(
            of: one.pin,
            uses: AlternateUses([fixture.one: [object("1b"): AlternateUse(idle: 1)]]),
            runs: 1
        )
        #expect(try store.removeAlternates(all, from: one.pin).pin == fixture.bare.pin)
    }

    @Test("an alternate stays with its reference recorded unchanged, and goes when that changes")
    func recorded() throws {
        let fixture = try Fixture()
        let (store, pin) = (fixture.store, fixture.made.pin)
        let same = ["S/in/one": "1", "S/two": "2", "T/three": "3"]
        #expect(try store.record([store.recording("a", same)], over: pin).pin == pin)
        #expect(
            try store.record([store.recording("a", complete: false, ["S/in/one": "1"])], over: pin)
                .pin == pin
        )
        for complete in [true, false] {
            let other = same.merging(["S/in/one": "new"]) { _, new in new }
            let changed = try store.record(
                [store.recording("a", complete: complete, other)],
                over: pin
            )
            #expect(try fixture.alternates(changed.pin) == [:])
            let direct = try store.record([store.recording("a", other)])
            #expect(changed.pin == direct.pin)
        }
        // Removed by a review, with the reference; another picture's change touches none.
        var removal = try store.recording("a", complete: false, [:])
        removal.removed = [fixture.one]
        #expect(try fixture.alternates(store.record([removal], over: pin).pin) == [:])
        let beside = try store.recording("a", complete: false, ["S/two": "new"])
        let kept = try store.record([beside], over: pin)
        #expect(try fixture.alternates(kept.pin) == fixture.alternates(pin))
    }

    @Test("a merge joins alternates of one reference, and drops those of a changed one")
    func merged() throws {
        let fixture = try Fixture()
        let store = fixture.store
        func merge(_ ours: ReferencePin, _ theirs: ReferencePin) throws -> [String: [ObjectID]] {
            let base = fixture.made.pin
            let one = try store.store.merge(base: base, ours: ours, theirs: theirs)
            let other = try store.store.merge(base: base, ours: theirs, theirs: ours)
            #expect(one.isClean && one.pin == other.pin)
            return try fixture.alternates(one.pin)
        }
        let added = try store.accept(["1c"], of: fixture.one, over: fixture.made.pin).pin
        let alsoAdded = try store.accept(["1d"], of: fixture.one, over: fixture.made.pin).pin
        let all = ["1a", "1b", "1c", "1d"].map(object).sorted()
        #expect(try merge(added, alsoAdded) == ["a/S/in/one": all])
        let changed = try store.record(
            [try store.recording("a", complete: false, ["S/in/one": "new", "S/two": "new"])],
            over: fixture.made.pin
        ).pin
        #expect(try merge(added, changed) == [:])
        let plan = try store.store.alternatesPlan(
            of: fixture.made.pin,
            uses: AlternateUses([fixture.one: [object("1a"): AlternateUse(idle: 1)]]),
            runs: 1
        )
        let pruned = try store.store.removeAlternates(plan, from: fixture.made.pin).pin
        #expect(
            try merge(added, pruned) == ["a/S/in/one": [object("1b"), object("1c")].sorted()]
        )
    }

    @Test("alternates move with their picture, and retire with it")
    func moved() throws {
        let fixture = try Fixture()
        let (store, pin) = (fixture.store.store, fixture.made.pin)
        func moved(_ old: String, _ new: String) throws -> ReferencePin {
            try store.write(store.planMove(old, to: new, in: pin), current: pin).pin
        }
        let both = [object("1a"), object("1b")].sorted()
        #expect(try fixture.alternates(moved("a/S/in/one", "a/S/uno")) == ["a/S/uno": both])
        #expect(try fixture.alternates(moved("a/S", "a/R")) == ["a/R/in/one": both])
        let cell = try moved("a", "b")
        #expect(try fixture.alternates(cell, cell: "b") == ["b/S/in/one": both])
        #expect(cell.entries.map(\.object) == pin.entries.map(\.object))
        let retired = try store.write(
            store.planRetirement(of: "a/S/in/one", in: pin),
            current: pin
        )
        #expect(try fixture.alternates(retired.pin) == [:])
        #expect(try store.references(retired.pin).count == 2)
    }

    @Test("a file named as an alternate of other bytes, or beside no picture, is none")
    func foreign() throws {
        let fixture = try Fixture()
        let digits = object("1a").hex.prefix(12)
        let script = """
            printf '100644 blob %s\\t%s\\n' \
              \(object("2").hex) one.alternate-\(digits).PNG \(object("1a").hex) \
              gone.alternate-\(digits).PNG \(object("1").hex) one.png \(object("3").hex) x.PNG \
            | git -C \(fixture.store.store.path) mktree
            """
        let tree = try run("sh", ["-c", script]).output.trimmingCharacters(in: .newlines)
        let pin = try ReferencePin(parsing: Data("a/S\n \(tree)\n".utf8))
        let found = try fixture.store.store.references(pin)
        #expect(found.map(\.id.name) == ["one"] && found[0].alternates == [])
    }

    @Test("the listing names the person who accepted an alternate, also under a later name")
    func listed() throws {
        let fixture = try Fixture()
        let store = fixture.store.store
        let one = fixture.one
        for (pin, base, who) in [
            (fixture.bare.pin, ReferencePin(), "Ada"), (fixture.made.pin, fixture.bare.pin, "Bob"),
        ] {
            try store.appendJournal(
                of: pin,
                since: base,
                note: JournalNote(recorder: who, reason: "why \(who)"),
                cells: [],
                now: Date(timeIntervalSince1970: 1_700_000_000)
            )
        }
        let uses = AlternateUses([one: [object("1a"): AlternateUse(uses: 2, idle: 3)]])
        let all = try store.alternates(of: fixture.made.pin, uses: uses)
        #expect(all.map(\.accepted?.recorder) == ["Bob", "Bob"])
        let line = try #require(all.first { $0.alternate == object("1a") }?.line)
        #expect(line.hasPrefix("a/S/in/one \(object("1a").short) · accepted by Bob on 2023-11-14"))
        #expect(line.contains("why Bob · used in 2 runs, not in the 3 since"))
    }
}

extension StoreFixture {
    fileprivate func accept(
        _ texts: [String],
        of id: SnapshotID,
        over base: ReferencePin
    ) throws -> RecordedSet {
        var recording = try recording(id.cell.text, complete: false, [:])
        recording.alternates = [id: texts.map { picture($0) }]
        return try record([recording], over: base)
    }
}
