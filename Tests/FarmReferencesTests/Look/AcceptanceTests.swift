// Tests of who accepted the differences between two sets, from real stores.
import FarmCore
import FarmReferences
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@Suite("who accepted a difference")
struct AcceptanceTests {
    private static let approval = JournalNote(
        change: "#7",
        run: "r-1",
        recorder: "Ann",
        reason: "ok"
    )
    private static let record = JournalNote(run: "r-2", recorder: LogEntry.recordRun)
    private static let edit = JournalNote(recorder: "Bo", reason: "by hand")

    /// Records pictures over a set, and writes the journal entry.
    private func step(
        _ fixture: StoreFixture,
        _ pictures: [String: String],
        over base: ReferencePin,
        _ note: JournalNote,
        at seconds: Double
    ) throws -> ReferencePin {
        let made = try fixture.record([try fixture.recording("a", pictures)], over: base)
        try fixture.store.appendJournal(
            of: made.pin,
            since: base,
            note: note,
            now: Date(timeIntervalSince1970: seconds)
        )
        return made.pin
    }

    @Test("an approval counts with its run, pull request and reason; a record or an edit does not")
    func kinds() throws {
        let fixture = try StoreFixture()
        let all = ["S/1": "1", "S/2": "1", "S/3": "1"]
        let old = try step(fixture, all, over: .init(), Self.edit, at: 100)
        let one = all.merging(["S/1": "2"]) { $1 }
        let approved = try step(fixture, one, over: old, Self.approval, at: 200)
        let two = one.merging(["S/2": "2"]) { $1 }
        let recorded = try step(fixture, two, over: approved, Self.record, at: 300)
        let three = two.merging(["S/3": "2"]) { $1 }
        let new = try step(fixture, three, over: recorded, Self.edit, at: 400)
        let ids = try ["S/1", "S/2", "S/3"].map { try id("a", $0) }
        let found = try fixture.store.acceptances(of: ids, in: new, since: old)
        let accepted = try #require(found[ids[0]])
        #expect(accepted.isAccepted && accepted.who == "Ann" && accepted.run == "r-1")
        #expect(accepted.pullRequest == "#7" && accepted.reason == "ok")
        #expect(accepted.when == "1970-01-01T00:03:20Z")
        #expect(found[ids[1]]?.isAccepted == false && found[ids[1]]?.run == "r-2")
        #expect(found[ids[2]]?.isAccepted == false && found[ids[2]]?.who == "Bo")
    }

    @Test("a picture that left, and one that a merge of pins took over, have their approvals")
    func merged() throws {
        let fixture = try StoreFixture()
        let all = ["S/1": "1", "S/2": "1", "T/1": "t"]
        let old = try step(fixture, all, over: .init(), Self.edit, at: 100)
        let branch = try step(fixture, ["S/1": "2", "T/1": "t"], over: old, Self.approval, at: 200)
        var pin = try step(
            fixture,
            all.merging(["T/1": "u"]) { $1 },
            over: old,
            Self.record,
            at: 300
        )
        let path = try #require(SubtreePath(cell: CellID("a"), folder: "S"))
        pin[path] = branch[path]
        let ids = try ["S/1", "S/2", "T/1"].map { try id("a", $0) }
        let found = try fixture.store.acceptances(of: ids, in: pin, since: old)
        #expect(ids.map { found[$0]?.isAccepted } == [true, true, false])
    }

    @Test("an approval before the older release does not count for what came back without one")
    func cameBack() throws {
        let fixture = try StoreFixture()
        let first = try step(fixture, ["S/1": "1"], over: .init(), Self.edit, at: 100)
        let approved = try step(fixture, ["S/1": "2"], over: first, Self.approval, at: 200)
        let old = try step(fixture, ["S/1": "3"], over: approved, Self.approval, at: 300)
        let new = try step(fixture, ["S/1": "2", "S/2": "1"], over: old, Self.record, at: 400)
        let picture = try id("a", "S/1")
        let found = try fixture.store.acceptances(of: [picture], in: new, since: old)
        #expect(found[picture]?.isAccepted == false && found[picture]?.run == "r-2")
    }

    @Test("of a set that is in no journal nobody is known to have accepted anything")
    func unknown() throws {
        let fixture = try StoreFixture()
        let made = try fixture.record([try fixture.recording("a", ["S/1": "1"])])
        let picture = try id("a", "S/1")
        let found = try fixture.store.acceptances(of: [picture], in: made.pin, since: .init())
        #expect(found[picture] == Acceptance(nil as LogEntry?))
    }
}
