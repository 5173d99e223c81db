// Tests of explanations why a picture is the reference, from real stores.
import FarmCore
import FarmReferences
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@Suite("why a picture is the reference")
struct BaselineTests {
    /// Records a set over another and writes its journal entry, as a run or an approval does.
    private func step(
        _ fixture: StoreFixture,
        _ pictures: [String: String],
        over base: ReferencePin,
        by who: String,
        at seconds: Double,
        test: String = "T/test"
    ) throws -> ReferencePin {
        let made = try fixture.record(
            [
                try fixture.recording(
                    "a",
                    pictures,
                    suites: ["S": record(["browser": "1"], tests: ["S/1": test])]
                )
            ],
            over: base
        )
        try fixture.store.appendJournal(
            of: made.pin,
            since: base,
            note: JournalNote(change: "#7", run: "r-\(who)", recorder: who, reason: "for \(who)"),
            now: Date(timeIntervalSince1970: seconds)
        )
        return made.pin
    }

    @Test("the history follows the sets that led to the pin, not what other branches recorded")
    func branches() throws {
        let fixture = try StoreFixture()
        let first = try step(fixture, ["S/1": "1", "S/2": "x"], over: .init(), by: "Ann", at: 100)
        let branch = try step(fixture, ["S/1": "2", "S/2": "x"], over: first, by: "Bo", at: 200)
        let main = try step(fixture, ["S/1": "1", "S/2": "y"], over: first, by: "Cy", at: 300)
        let picture = try id("a", "S/1")

        let onMain = try fixture.store.baseline(of: picture, in: main)
        #expect(onMain.events.map(\.change) == [.added])
        #expect(onMain.since?.recorder == "Ann")
        #expect(onMain.reference == object("1"))
        #expect(onMain.set == main.setID)
        #expect(onMain.test == TestID("T/test"))
        #expect(onMain.renderer == ["browser": "1"])
        #expect(!onMain.isCut)

        let onBranch = try fixture.store.baseline(of: picture, in: branch)
        #expect(onBranch.events.map(\.change) == [.changed, .added])
        #expect(onBranch.since?.recorder == "Bo")
        #expect(onBranch.reasons.contains("reason: for Bo"))
        #expect(onBranch.reasons.contains("run: r-Bo"))
        #expect(try fixture.store.baseline(of: picture, in: branch, limit: 1).events.count == 1)
        _ = try JSONEncoder().encode(onBranch)
    }

    @Test("a pin that a merge made finds the entry that shows its picture")
    func merged() throws {
        let fixture = try StoreFixture()
        let first = try step(fixture, ["S/1": "1", "T/1": "t"], over: .init(), by: "Ann", at: 100)
        let branch = try step(fixture, ["S/1": "2", "T/1": "t"], over: first, by: "Bo", at: 200)
        let main = try step(fixture, ["S/1": "1", "T/1": "u"], over: first, by: "Cy", at: 300)
        var merged = main
        let path = try #require(SubtreePath(cell: CellID("a"), folder: "S"))
        merged[path] = branch[path]
        let found = try fixture.store.baseline(of: id("a", "S/1"), in: merged)
        #expect(found.since?.recorder == "Bo")
        #expect(found.events.map(\.change) == [.changed, .added])
        #expect(found.set == merged.setID)
    }

    @Test("a picture without a reference names the one that stands for it, with its history")
    func predecessor() throws {
        let fixture = try StoreFixture()
        let device = Device(
            name: "New",
            os: nil,
            width: 10,
            height: 10,
            scale: 1,
            succeeds: "Old"
        )
        let cell = Cell(
            id: Matrix.cellID(device: device, variant: []),
            device: device,
            variant: []
        )
        let made = try fixture.record([try fixture.recording("Old", ["S/1": "1"])])
        try fixture.store.appendJournal(
            of: made.pin,
            since: ReferencePin(),
            note: JournalNote(recorder: "Ann"),
            now: Date(timeIntervalSince1970: 100)
        )
        let found = try fixture.store.baseline(
            of: id("New", "S/1"),
            in: made.pin,
            rules: SuccessionRules(cells: [cell])
        )
        #expect(found.predecessor == (try id("Old", "S/1")))
        #expect(found.reference == object("1"))
        #expect(found.since?.recorder == "Ann")
        #expect(found.reasons.first?.contains("Old/S/1 stands for it") == true)
    }

    @Test("what was refused in place of this reference is listed, and nothing else")
    func refused() throws {
        let picture = try id("a", "S/1")
        func decision(
            _ kind: Decision.Kind,
            _ capture: String,
            against reference: String,
            at when: Int64
        ) -> Decision {
            Decision(
                kind: kind,
                pipeline: "p",
                snapshot: picture,
                capture: Digest(of: Data(capture.utf8)),
                reference: object(reference),
                reason: "because \(capture)",
                who: "Ann",
                when: when,
                run: "r"
            )
        }
        var baseline = Baseline(id: picture, set: object("set"), reference: object("now"))
        baseline.add(
            DecisionBook([
                decision(.rejected, "a", against: "now", at: 1),
                decision(.rejected, "b", against: "before", at: 2),
                decision(.accepted, "c", against: "now", at: 3),
                decision(.rejected, "d", against: "now", at: 4),
                decision(.rejected, "e", against: "now", at: 5),
                decision(.withdrawn, "e", against: "now", at: 6),
            ])
        )
        #expect(baseline.refused.map(\.reason) == ["because d", "because a"])
        #expect(baseline.reasons.contains("refused in its place by Ann: because d"))
    }

    @Test("a set that is in no journal, and an empty journal, are no error")
    func unknown() throws {
        let fixture = try StoreFixture()
        let made = try fixture.record([try fixture.recording("a", ["S/1": "1"])])
        let found = try fixture.store.baseline(of: id("a", "S/1"), in: made.pin)
        #expect(found.reference == object("1"))
        #expect(found.events == [] && found.since == nil)
        #expect(found.reasons.contains("the journal does not tell since when"))
    }
}
