// Tests of a page's cache of decisions: each decision is read once, and none is missed.
import FarmCore
import FarmLedger
import FarmServer
import Synchronization
import Testing

@testable import FarmRun

@Suite("Decisions that a page knows")
struct KnownDecisionsTests {
    private func decision(_ kind: Decision.Kind, of name: String = "one") throws -> Decision {
        Decision(
            kind: kind,
            pipeline: "p",
            snapshot: try SnapshotID(cell: CellID("A"), suite: "S", name: name),
            capture: nil,
            reference: ObjectID(String(repeating: "1", count: 40)),
            reason: "",
            who: "ada",
            when: 7,
            run: "r1"
        )
    }

    @Test("only what was decided since the last look is read")
    func newOnes() async throws {
        let known = DecisionCache()
        let lists = [
            DecisionList(decisions: [try decision(.accepted)], newest: 5),
            DecisionList(decisions: [], newest: 5),
            DecisionList(decisions: [try decision(.withdrawn)], newest: 9),
        ]
        let asked = Mutex<[Int64]>([])
        var counts: [Int] = []
        var numbers: [Int64] = []
        for list in lists {
            let decided = try await known.now { number in
                asked.withLock { $0.append(number) }
                return list
            }
            counts.append(decided.book.standing.count)
            numbers.append(decided.number)
        }
        #expect(asked.withLock(\.self) == [0, 5, 5])
        #expect(counts == [1, 1, 0] && numbers == [5, 5, 9])
    }

    @Test("a look that another one overtakes is made again, so that nothing is counted twice")
    func overtaken() async throws {
        let known = DecisionCache()
        let said = try decision(.commented)
        let first = DecisionList(decisions: [said], newest: 1)
        let both = DecisionList(decisions: [said, try decision(.accepted, of: "two")], newest: 2)
        let decided = try await known.now { number in
            guard number == 0 else {
                return DecisionList(decisions: Array(both.decisions.dropFirst()), newest: 2)
            }
            // A second request reads the decisions meanwhile.
            _ = try await known.now { _ in first }
            return both
        }
        #expect(decided.number == 2 && decided.book.standing.count == 1)
        #expect(decided.book.comments.values.map(\.count) == [1])
    }
}
