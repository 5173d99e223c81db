// Tests of decisions in SQLite: limits, age, and reading a ledger that no coordinator has open.
import FarmCore
import FarmTesting
import GRDB
import LedgerConformance
import Testing

@testable import FarmLedger

@Suite("Decisions in a ledger")
struct DecisionsTests {
    private let folder: TemporaryFolder
    private let ledger: SQLiteLedger

    init() throws {
        folder = try TemporaryFolder("decisions")
        ledger = try SQLiteLedger(path: folder.file("ledger.sqlite"))
    }

    private func decision(
        _ kind: Decision.Kind,
        _ name: String,
        pipeline: String = "p",
        who: String = "ada",
        when: Int64 = 1
    ) throws -> Decision {
        try LedgerBench.decision(kind, name, pipeline: pipeline, who: who, when: when)
    }

    @Test(
        "beyond the limit leaves what decides nothing, then the oldest; other pipelines lose nothing",
        arguments: [
            (8, "rejected a, commented b, rejected b, accepted b, withdrawn c, accepted a"),
            (6, "rejected a, commented b, rejected b, accepted b, withdrawn c, accepted a"),
            (5, "commented b, rejected b, accepted b, withdrawn c, accepted a"),
            (4, "rejected b, accepted b, withdrawn c, accepted a"),
            (3, "accepted b, withdrawn c, accepted a"), (2, "withdrawn c, accepted a"),
            (1, "accepted a"),
        ]
    )
    func limit(_ most: Int, _ kept: String) async throws {
        try await ledger.add([
            try decision(.rejected, "a"), try decision(.commented, "b"),
            try decision(.rejected, "b"), try decision(.accepted, "b"),
            try decision(.withdrawn, "c"), try decision(.accepted, "a"),
            try decision(.rejected, "a", pipeline: "other"),
        ])
        try await ledger.write { try SQLiteLedger.drop(of: "p", downTo: most, $0) }
        let left = try await ledger.decisions(of: "p")
        let words = left.map { "\($0.kind.rawValue) \($0.snapshot.name)" }
        #expect(words.joined(separator: ", ") == kept)
        #expect(try await ledger.decisions(of: "other").count == 1)
    }

    @Test("of several who publish the same set the first is kept, and of another set all")
    func published() async throws {
        for (who, set) in [("ada", "set 1"), ("bob", "set 1"), ("bob", "set 2"), ("ada", "set 2")] {
            var one = try decision(.published, "a", who: who)
            one.reason = set
            try await ledger.add([one])
        }
        let kept = try await ledger.decisions(of: "p").map { "\($0.who) \($0.reason)" }
        #expect(kept == ["ada set 1", "bob set 2"])
    }

    @Test(
        "what leaves by the limit changes nothing that stands, while that fits",
        arguments: 1...20
    )
    func standing(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var all: [Decision] = []
        for number in 0..<60 {
            let kind = Decision.Kind.allCases.filter { $0 != .withdrawn }.randomElement(
                using: &random
            )
            let name = "abcdef".randomElement(using: &random).map(String.init)
            let one = try decision(
                try #require(kind),
                try #require(name),
                who: "w\(number)",
                when: Int64(number)
            )
            all.append(one)
        }
        try await ledger.add(all)
        // An alternate that was published has two decisions that stand.
        try await ledger.write { try SQLiteLedger.drop(of: "p", downTo: 12, $0) }
        let left = try await ledger.decisions(of: "p")
        #expect(left.count == 12)
        #expect(DecisionBook(left).standing == DecisionBook(all).standing, "seed \(seed)")
        #expect(DecisionBook(left).alternates == DecisionBook(all).alternates, "seed \(seed)")
    }

    @Test("people who decide at once lose nothing")
    func atOnce() async throws {
        let people = (0..<20).map { "person \($0)" }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for person in people {
                group.addTask {
                    try await ledger.add([
                        try decision(.rejected, "a", who: person),
                        try decision(.commented, "a", who: person),
                    ])
                }
            }
            try await group.waitForAll()
        }
        let all = try await ledger.decisions(of: "p")
        #expect(Set(all.map(\.who)) == Set(people) && all.count == 2 * people.count)
        #expect(DecisionBook(all).standing.count == 1)
    }

    @Test("decisions leave by their age, whatever became of their run")
    func age() async throws {
        try await ledger.add([
            try decision(.rejected, "a", when: 10), try decision(.rejected, "b", when: 11),
        ])
        #expect(try await ledger.decisions(until: 10) == 1)
        try await ledger.removeDecisions(until: 10)
        let newest = try await ledger.decisions(of: "p", after: 0)
        #expect(newest.decisions.map(\.snapshot.name) == ["b"])
        try await ledger.removeDecisions(until: 11)
        // A client that knows all decisions up to a number gets the new one: numbers are not
        // reused.
        try await ledger.add([try decision(.rejected, "c", when: 12)])
        #expect(try await ledger.decisions(of: "p", after: newest.newest).decisions.count == 1)
    }

    @Test("a file that nobody writes is read; none, and one without tables, hold none")
    func file() async throws {
        let path = folder.file("ledger.sqlite")
        try await ledger.add([try decision(.rejected, "a")])
        #expect(try SQLiteLedger.decisions(of: "p", inFileAt: path).newest == 1)
        #expect(try SQLiteLedger.decisions(of: "p", inFileAt: folder.file("none")).newest == 0)
        let empty = folder.file("empty.sqlite")
        _ = try DatabaseQueue(path: empty)
        #expect(try SQLiteLedger.decisions(of: "p", inFileAt: empty).newest == 0)
    }
}
