import FarmCore
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@testable import FarmReferences

@Suite("the rules of pruning")
struct PruneRulesTests {
    private func id(_ digit: Character) throws -> ObjectID {
        try #require(ObjectID(String(repeating: digit, count: 40)))
    }

    @Test(
        "a tombstone goes on the day its grace ends and not before",
        arguments: [(13, false), (14, true), (400, true)]
    )
    func grace(days: Int, drops: Bool) throws {
        let set = try id("a")
        let facts = PruneFacts(
            sets: [:],
            tombstones: [set: try #require(PruneDay("20240228"))],
            reasons: [:]
        )
        let start = 1_709_078_400.0
        let decision = PruneRules.decide(
            facts,
            policy: PrunePolicy(graceDays: 14),
            now: start + Double(days) * 86_400
        )
        #expect(decision.dropped == (drops ? [set] : []))
        #expect(decision.waiting.first?.until.text == (drops ? nil : "2024-03-13"))
    }

    @Test(
        "a set is young until its days are over; one from the future is young",
        arguments: [(29.9, true), (30, false), (-3, true)]
    )
    func young(age: Double, kept: Bool) throws {
        let now = 2e9
        let facts = PruneFacts(
            sets: [try id("a"): now - age * 86_400],
            tombstones: [:],
            reasons: [:]
        )
        let policy = PrunePolicy(newestCount: 0, youngDays: 30)
        let decision = PruneRules.decide(facts, policy: policy, now: now)
        #expect(decision.kept.isEmpty != kept)
        #expect(decision.tombstoned.isEmpty == kept)
    }

    @Test("the newest are by time, then by id, and the nearest is the newer of two")
    func order() throws {
        let sets = [try id("a"): 5.0, try id("b"): 9, try id("c"): 5, try id("d"): 1]
        #expect(
            PruneRules.newestFirst(sets) == [try id("b"), try id("a"), try id("c"), try id("d")]
        )
        #expect(PruneRules.nearest(to: 7, among: sets) == (try id("b")))
        #expect(PruneRules.nearest(to: 2.9, among: sets) == (try id("d")))
        #expect(PruneRules.nearest(to: 2, among: [:]) == nil)
    }

    @Test(
        "a day is eight digits of the calendar",
        arguments: [
            ("19700101", 0), ("20000229", 11_016), ("20231114", 19_675), ("99991231", 2_932_896),
        ]
    )
    func days(text: String, number: Int) throws {
        let day = try #require(PruneDay(text))
        #expect(day.number == number)
        #expect(day.description == text)
        #expect(PruneDay(secondsSince1970: Double(number) * 86_400 + 86_399) == day)
    }

    @Test(
        "what is no day is refused",
        arguments: ["20230229", "20231301", "2023114", "2023-1-1", "19691231", "20230100", ""]
    )
    func noDays(text: String) { #expect(PruneDay(text) == nil) }

    @Test("the note of pruned sets reads back, forgets the oldest and passes over bad lines")
    func note() throws {
        var note = PrunedNote()
        let day = try #require(PruneDay("20240101"))
        let facts = (0..<PrunedNote.linesMax + 10).map { number in
            PrunedFact(
                set: ObjectID(ofBlob: Data("\(number)".utf8)),
                recorded: number,
                dropped: day,
                nearest: nil,
                policy: "all\nof it"
            )
        }
        note.add(facts, present: [])
        #expect(note.facts.count == PrunedNote.linesMax)
        #expect(note.facts.first?.policy == "allof it")
        let read = PrunedNote(parsing: Data(("garbage\n" + note.text).utf8))
        #expect(read == note)
        #expect(Data(note.text.utf8).count <= PrunedNote.bytesMax)
    }

    @Test("a set is named without writing it")
    func identity() throws {
        let fixture = try StoreFixture()
        // Git sorts folders with a slash at the end: "a.b" comes before "a".
        let made = try fixture.record(
            try ["a", "a.b", "a-b", "é"].map {
                try fixture.recording($0, ["S/1": "1", "S.x/1": "2"])
            }
        )
        #expect(made.pin.setID == made.set)
        let empty = try fixture.store.setID(of: ReferencePin())
        #expect(ReferencePin().setID == empty)
        #expect(try fixture.faults() == [])
    }
}
