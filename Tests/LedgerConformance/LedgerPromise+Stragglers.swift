import FarmCore
import FarmLedger
import Testing

extension LedgerPromise {
    /// The time in milliseconds after which a test of a job with quick tests straggles.
    private static let late = Int64(FarmLimits.stragglerUnlearnedSecondsMin * 1000) + 100

    /// Returns a lease of `a` with a hanging test and tests waiting behind it; `b` has run all
    /// others and is idle.
    private static func hanging(
        _ bench: LedgerBench,
        _ plan: Plan = LedgerBench.plan(tests: 8),
        saysWhatRuns: Bool = true
    ) async throws -> (run: RunID, lease: Lease) {
        let run = try await bench.open(plan)
        let lease = try await bench.lease("a", "1")
        #expect(lease.shard.tests.count > 1)
        try await bench.passAll(by: "b", now: 1)
        let hung = lease.shard.tests[0]
        _ = try await bench.ledger.renew(
            lease.token,
            running: saysWhatRuns ? hung : nil,
            now: 15_000
        )
        // The worker `b` stays alive, although there is no work for it.
        #expect(try await bench.claim("b", "idle", now: 15_000) == nil)
        return (run, lease)
    }

    /// Stragglers: idle workers get the tests that wait behind them.
    static let stragglers = [
        LedgerPromise("what waits behind a test that takes too long is leased to idle workers") {
            let (run, lease) = try await hanging($0)
            let hung = lease.shard.tests[0]
            #expect(try await $0.ledger.trimStragglers(now: late - 200).isEmpty)
            #expect(try await $0.claim("b", "early", now: late - 200) == nil)
            #expect(try await $0.ledger.trimStragglers(now: late).map(\.test) == [hung])
            #expect(try await $0.ledger.trimStragglers(now: late).isEmpty)
            let freed = try await $0.passAll(by: "b", now: late)
            #expect(Set(freed) == Set(lease.shard.tests.dropFirst()))
            #expect(try await $0.pass(lease, lease.shard.tests[1], now: late) == .stale)
            #expect(try await $0.pass(lease, hung, now: late) == .accepted)
            #expect(try await $0.ledger.renew(lease.token, running: nil, now: late) == .stale)
            #expect(try await $0.ledger.finishedRuns() == [run])
            #expect(try await $0.attempts(run) == Array(repeating: 1, count: 8))
        },
        LedgerPromise("a trimmed lease ends with its last report, whatever else comes with it") {
            let (run, lease) = try await hanging($0)
            _ = try await $0.ledger.trimStragglers(now: late)
            let receipt = try await $0.complete(
                lease,
                reporting: lease.shard.tests.map { LedgerBench.passed($0) },
                now: late
            )
            #expect(receipt.answers.first == .accepted)
            #expect(receipt.answers.dropFirst().allSatisfy { $0 == .stale })
            #expect(receipt.answer == .stale)
            #expect(try await $0.ledger.leases(run).first?.state == "revoked")
        },
        LedgerPromise("a worker lost with a trimmed lease costs the test that ran an attempt") {
            let (run, lease) = try await hanging($0)
            _ = try await $0.ledger.trimStragglers(now: late)
            try await $0.ledger.takeBack(.lost(WorkerID("a")), now: late)
            let place = Int(lease.shard.tests[0].text.dropFirst()) ?? 0
            let attempts = try await $0.attempts(run)
            #expect(attempts[place] == 1)
            #expect(attempts.reduce(0, +) == 1 + 8 - lease.shard.tests.count)
        },
        LedgerPromise("nothing is trimmed while every worker works") {
            let run = try await $0.open(LedgerBench.plan(tests: 8))
            let lease = try await $0.lease("a", "1")
            let other = try await $0.lease("b", "1")
            let running = lease.shard.tests[0]
            _ = try await $0.ledger.renew(lease.token, running: running, now: 15_000)
            _ = try await $0.pass(other, other.shard.tests[0], now: 15_000)
            #expect(try await $0.ledger.trimStragglers(now: late).isEmpty)
            #expect(try await $0.ledger.leases(run).allSatisfy { $0.state == "live" })
        },
        LedgerPromise("nothing is trimmed of which nobody said which test runs") {
            _ = try await hanging($0, saysWhatRuns: false)
            #expect(try await $0.ledger.trimStragglers(now: late).isEmpty)
        },
        LedgerPromise("a lease that reports is not late, however long it has run") {
            _ = try await $0.open(LedgerBench.plan(tests: 12))
            let lease = try await $0.lease("a", "1")
            try await $0.passAll(by: "b", now: 1)
            _ = try await $0.pass(lease, lease.shard.tests[0], now: 15_000)
            _ = try await $0.claim("b", "idle", now: 15_000)
            let next = lease.shard.tests[1]
            _ = try await $0.ledger.renew(lease.token, running: next, now: 16_000)
            #expect(try await $0.ledger.trimStragglers(now: late).isEmpty)
            _ = try await $0.ledger.renew(lease.token, running: next, now: 30_000)
            _ = try await $0.claim("b", "idle again", now: 30_000)
            let trimmed = try await $0.ledger.trimStragglers(now: 15_000 + late)
            #expect(trimmed.map(\.test) == [next])
        },
        LedgerPromise("a lease that starts tests is not late, however long it reports nothing") {
            _ = try await $0.open(LedgerBench.plan(tests: 12))
            let lease = try await $0.lease("a", "1")
            let tests = lease.shard.tests
            #expect(tests.count > 4)
            try await $0.passAll(by: "b", now: 1)
            for number in 1...3 {
                let now = Int64(number) * 15_000
                _ = try await $0.ledger.renew(
                    lease.token,
                    running: tests[number],
                    started: [tests[number - 1]],
                    now: now
                )
                #expect(try await $0.claim("b", "idle \(number)", now: now) == nil)
                #expect(try await $0.ledger.trimStragglers(now: now + 14_000).isEmpty)
            }
        },
        LedgerPromise("what a lease has started is its own; idle workers get the rest of it") {
            let (run, lease) = try await hanging($0, LedgerBench.plan(tests: 12))
            let tests = lease.shard.tests
            let hung = tests[2]
            for now in [Int64(16_000), 26_000] {
                _ = try await $0.ledger.renew(
                    lease.token,
                    running: hung,
                    started: Array(tests[..<2]),
                    now: now
                )
            }
            #expect(try await $0.claim("b", "idle again", now: 30_000) == nil)
            #expect(try await $0.ledger.trimStragglers(now: 16_000 + late - 200).isEmpty)
            let trimmed = try await $0.ledger.trimStragglers(now: 16_000 + late)
            #expect(trimmed.map(\.test) == [hung])
            let freed = try await $0.passAll(by: "b", now: 16_000 + late)
            #expect(Set(freed) == Set(tests.dropFirst(3)))
            let receipt = try await $0.complete(
                lease,
                reporting: tests.map { LedgerBench.passed($0) },
                now: 16_000 + late
            )
            #expect(receipt.answers.prefix(3).allSatisfy { $0 == .accepted })
            #expect(receipt.answers.dropFirst(3).allSatisfy { $0 == .stale })
            #expect(try await $0.ledger.finishedRuns() == [run])
            #expect(try await $0.attempts(run) == Array(repeating: 1, count: 12))
        },
        LedgerPromise("a lease that has started all of its tests is not trimmed") {
            let (_, lease) = try await hanging($0)
            let tests = lease.shard.tests
            for now in [Int64(16_000), 26_000] {
                _ = try await $0.ledger.renew(
                    lease.token,
                    running: tests[0],
                    started: Array(tests.dropFirst()),
                    now: now
                )
            }
            _ = try await $0.claim("b", "idle again", now: 30_000)
            #expect(try await $0.ledger.trimStragglers(now: 50_000).isEmpty)
        },
        LedgerPromise("what an earlier lease has started is no start of the next") {
            _ = try await $0.open(LedgerBench.plan(tests: 12))
            let first = try await $0.lease("a", "1")
            let tests = first.shard.tests
            _ = try await $0.ledger.renew(
                first.token,
                running: tests[1],
                started: [tests[0]],
                now: 1
            )
            _ = try await $0.ledger.release(first.token, now: 2)
            let second = try await $0.lease("a", "2", now: 3)
            #expect(second.shard.tests == tests)
            try await $0.passAll(by: "b", now: 4)
            _ = try await $0.ledger.renew(second.token, running: tests[1], now: 15_000)
            _ = try await $0.claim("b", "idle", now: 15_000)
            #expect(try await $0.ledger.trimStragglers(now: late + 3).map(\.test) == [tests[1]])
            let freed = try await $0.passAll(by: "b", now: late + 3)
            #expect(Set(freed) == Set(tests).subtracting([tests[1]]))
        },
        LedgerPromise("nothing is trimmed of a job beside which nothing runs") {
            var plan = LedgerBench.plan(tests: 8)
            var other = plan.jobs[0]
            other.job.name = JobName("web")
            plan.jobs[0].job.exclusive = true
            plan.jobs.append(other)
            _ = try await $0.open(plan)
            let lease = try await $0.lease("a", "1")
            _ = try await $0.ledger.renew(
                lease.token,
                running: lease.shard.tests[0],
                now: 15_000
            )
            _ = try await $0.claim("b", "idle", now: 15_000)
            #expect(try await $0.ledger.trimStragglers(now: late).isEmpty)
        },
    ]
}
