import FarmCore
import FarmLedger
import FarmTesting
import Foundation
import Testing

@Suite("Rules of a run")
struct RunRulesTests {
    private let farm: LedgerFarm

    init() throws { farm = try LedgerFarm("rules") }

    @Test("when the retries of a run are used up, failures are final and the summary says so")
    func budget() async throws {
        let run = try await farm.open(tests: 400, retries: 1)
        let worker = LedgerFarm.Worker("w", testsPerTick: 20) { _ in .failed("no") }
        try await farm.work([worker], until: run)
        let tests = try await farm.ledger.evidence(run).tests
        let retried = tests.reduce(0) { $0 + $1.attempts.count - 1 }
        #expect(retried == RunRules.retriesMax(planned: 400))
        #expect(tests.allSatisfy { $0.verdict == .failed })
        #expect(tests.contains { $0.note.contains("retries of this run are used up") })
        #expect(try await farm.ledger.incidents(run).map(\.code) == ["retries-used-up"])
    }

    @Test("a run of few failures keeps its retries and says nothing")
    func budgetLeft() async throws {
        let run = try await farm.open(tests: 400, retries: 1)
        let worker = LedgerFarm.Worker("w", testsPerTick: 20) { number in
            number % 100 == 7 ? .failed("no") : .passed
        }
        try await farm.work([worker], until: run)
        #expect(try await farm.ledger.evidence(run).tests.count { $0.verdict == .flaky } == 4)
        #expect(try await farm.ledger.incidents(run).isEmpty)
    }

    @Test("every test case is repeated whatever it does, and what differs is flaky")
    func repeats() async throws {
        let run = try await farm.open(tests: 30, retries: 1, rules: RunRules(repeats: 5))
        var generator = SeededGenerator.announced()
        let bad = Set((0..<150).filter { _ in Int.random(in: 0..<4, using: &generator) == 0 })
        let workers = ["a", "b"].map { name in
            LedgerFarm.Worker(name, testsPerTick: 3) { bad.contains($0) ? .failed("x") : .passed }
        }
        try await farm.work(workers, until: run)
        for test in try await farm.ledger.evidence(run).tests {
            let passes = test.attempts.count { $0.report?.ending == .passed }
            let expected: Verdict = passes == 5 ? .passed : passes == 0 ? .failed : .flaky
            #expect(test.attempts.count == 5 && test.verdict == expected, "\(test)")
        }
    }

    @Test("after the first red verdict of a run that fails fast nothing is leased")
    func failsFast() async throws {
        let run = try await farm.open(tests: 500, rules: RunRules(failsFast: true))
        let workers = ["a", "b"].map { name in
            LedgerFarm.Worker(name, testsPerTick: 2) { $0 == 30 ? .failed("x") : .passed }
        }
        try await farm.work(workers, until: run)
        let tests = try await farm.ledger.evidence(run).tests
        #expect(tests.count { $0.verdict == .failed } == 1)
        #expect(tests.count { $0.verdict == nil } > 400)
        #expect(try await farm.claim("a", "more") == nil)
        let problems = try await farm.ledger.incidents(run)
        #expect(problems.map(\.code) == ["stopped-early"])
    }

    @Test("what is quarantined does not stop a run that fails fast")
    func failsFastQuarantined() async throws {
        let entry = QuarantineEntry(test: "t1", until: "2999-01-01", reason: "known")
        let rules = RunRules(failsFast: true, quarantine: [entry])
        let run = try await farm.open(tests: 20, rules: rules)
        let worker = LedgerFarm.Worker("w", testsPerTick: 1) { $0 == 1 ? .failed("x") : .passed }
        try await farm.work([worker], until: run)
        let verdicts = try await farm.ledger.evidence(run).tests.map(\.verdict)
        #expect(verdicts[1] == .failed && verdicts.count { $0 == .passed } == 19)
        #expect(try await farm.ledger.incidents(run).isEmpty)
    }

    @Test("what passes after a retry does not stop a run that fails fast")
    func failsFastRetried() async throws {
        let run = try await farm.open(tests: 20, retries: 1, rules: RunRules(failsFast: true))
        let worker = LedgerFarm.Worker("w", testsPerTick: 1) { $0 == 2 ? .failed("x") : .passed }
        try await farm.work([worker], until: run)
        let verdicts = try await farm.ledger.evidence(run).tests.map(\.verdict)
        #expect(verdicts[2] == .flaky && verdicts.count { $0 == .passed } == 19)
        #expect(try await farm.ledger.incidents(run).isEmpty)
    }

    @Test("after a restart with grace leases live on for one lease, and nobody is judged before")
    func grace() async throws {
        let run = try await farm.open(tests: 40)
        let lease = try #require(try await farm.claim("a", "1"))
        let ledger = farm.ledger
        let down: Int64 = 3_600_000
        try await ledger.extendLeases(seconds: FarmLimits.leaseSeconds, now: down)
        #expect(try await ledger.progress(run, now: down).workers == 1)
        #expect(try await ledger.takeBack(.expired, now: down + 29_999) == 0)
        let report = TestReport(test: lease.shard.tests[0], ending: .passed, seconds: 0)
        #expect(
            try await ledger.report(lease.token, [report], now: down + 1).answers == [.accepted]
        )
        #expect(try await ledger.renew(lease.token, running: nil, now: down + 2) == .accepted)
        #expect(try await ledger.takeBack(.expired, now: down + 29_999) == 0)
        #expect(try await ledger.takeBack(.expired, now: down + 30_100) == 1)
    }
}
