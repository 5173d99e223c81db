import FarmCore
import Testing

@testable import FarmLedger

@Suite("The time limit of a shard")
struct ShardTimeTests {
    private let limits = JobTimeouts(testSeconds: 30, shardSeconds: 600)
    private let tests = ["a", "b", "c"].map { TestID($0) }

    @Test(
        "a lease gets the tests that are expected to take half of it, and at least one",
        arguments: [
            (nil, 20), (1, 300), (0.5, 600), (299, 1), (301, 1), (1e9, 1), (0, 5_000),
            (1e-9, 5_000),
        ] as [(Double?, Int)]
    )
    func size(mean: Double?, expected: Int) {
        #expect(ShardTime.sizeMax(limits, meanSeconds: mean) == expected)
    }

    @Test("where nothing is known and a test may take longer than the shard, it is one by one")
    func unknown() {
        let limits = JobTimeouts(testSeconds: 60, shardSeconds: 10)
        #expect(ShardTime.sizeMax(limits, meanSeconds: nil) == 1)
    }

    @Test("no job is leased more than its time allows, whatever its cell and the others have")
    func claims() {
        let cells = [
            WaitingCell(job: JobName("slow"), cell: .host, count: 1_000),
            WaitingCell(job: JobName("free"), cell: .host, count: 900),
        ]
        func size(_ mean: Double?, of job: String) -> Int? {
            let name = JobName(job)
            return ClaimRules.choose(
                ClaimQuestion(
                    waiting: cells.filter { $0.job == name },
                    costs: .guessed(meanSeconds: mean.map { [name: $0] } ?? [:]),
                    workers: 1,
                    timeouts: [JobName("slow"): limits]
                )
            )?.size
        }
        #expect(size(nil, of: "slow") == 20)
        #expect(size(10, of: "slow") == 30)
        #expect(size(0.001, of: "slow") == 500)
        #expect(size(10, of: "free") == 450)
    }

    @Test("learned costs fill half of a shard's time, or one test does")
    func learned() {
        let key = CellKey(job: JobName("slow"), cell: .host)
        func size(cost: Int, _ timeouts: [JobName: JobTimeouts]) -> Int? {
            let line = CostLine(longestFirst: Array(repeating: cost, count: 100))
            let question = ClaimQuestion(
                waiting: [WaitingCell(job: key.job, cell: key.cell, count: 100)],
                costs: .learned([key: line]),
                workers: 1,
                timeouts: timeouts
            )
            return ClaimRules.choose(question)?.size
        }
        #expect(ShardTime.budgetMax(limits) == 300_000_000)
        #expect(size(cost: 30_000_000, [:]) == 50)
        #expect(size(cost: 30_000_000, [key.job: limits]) == 10)
        #expect(size(cost: 900_000_000, [key.job: limits]) == 1)
    }

    @Test(
        "who took more than half of the time is errored, the others run again",
        arguments: [
            (["a": 301, "b": 299], true, ["a"]), (["a": 301, "b": 302], false, ["a", "b"]),
            (["a": 299], true, []), ([:], true, []),
            // No test is to blame and none has finished, so another launch would end the same way.
            (["a": 299], false, ["a", "b", "c"]), ([:], false, ["a", "b", "c"]),
        ] as [([String: Double], Bool, [String])]
    )
    func blame(seconds: [String: Double], hasFinished: Bool, expected: [String]) {
        let slow = ShardTime.overrunning(
            tests,
            seconds: Dictionary(uniqueKeysWithValues: seconds.map { (TestID($0), $1) }),
            limits,
            hasFinished: hasFinished
        )
        #expect(slow.map(\.text) == expected)
    }
}
