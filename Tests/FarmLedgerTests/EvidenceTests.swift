import FarmCore
import FarmLedger
import FarmTesting
import Testing

@Suite("What a run is judged by")
struct EvidenceTests {
    @Test(
        "of a run of any size all test cases are read once, in plan order, with their attempts",
        arguments: [1, 2_999, 3_000, 3_001, 6_007]
    )
    func parts(count: Int) async throws {
        let farm = try LedgerFarm("evidence")
        // With an earlier run, the row ids of this run do not start at 1.
        _ = try await farm.open(tests: 7, id: "before")
        let run = try await farm.open(tests: count, id: "r")
        _ = try await farm.open(tests: 7, id: "after")
        let worker = LedgerFarm.Worker("w", testsPerTick: 1_000) { number in
            number.isMultiple(of: 3) ? .failed("no") : .passed
        }
        try await farm.work([worker], until: run)
        let tests = try await farm.ledger.evidence(run).tests
        #expect(tests.map(\.key.test) == (0..<count).map { TestID("t\($0)") })
        #expect(tests.allSatisfy { $0.attempts.count == 1 && $0.verdict != nil })
    }
}
