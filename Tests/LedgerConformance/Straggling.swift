import FarmCore
import FarmLedger
import Testing

/// A run of which one test case is left, on a worker that takes too long for it.
struct Straggling {
    let bench: LedgerBench
    let run: RunID
    /// `a`'s lease; of its tests only the first has no report.
    let lease: Lease
    var test: TestID { lease.shard.tests[0] }

    /// Milliseconds after which a test of a job with quick tests straggles.
    static let late = Int64(FarmLimits.backupUnlearnedSecondsMin * 1000) + 100

    init(_ bench: LedgerBench, tests: Int = 8, retries: Int = 0) async throws {
        try await self.init(bench, LedgerBench.plan(tests: tests, retries: retries))
    }

    /// `b` ran all the rest that it got, and has nothing to do.
    init(_ bench: LedgerBench, _ plan: Plan) async throws {
        self.bench = bench
        run = try await bench.open(plan)
        lease = try await bench.lease("a", "1")
        try await bench.passAll(by: "b", now: 1)
        for test in lease.shard.tests.dropFirst() { _ = try await bench.pass(lease, test, now: 1) }
        _ = try await bench.ledger.renew(lease.token, running: test, now: 15_000)
    }

    /// What a worker that lives is leased when the test straggles.
    func backup(_ worker: String = "b", _ request: String = "backup") async throws -> Lease {
        try await bench.lease(worker, request, now: Self.late)
    }

    /// What people read of the run when the test straggles.
    func notes() async throws -> [Problem] {
        try await bench.ledger.progress(run, now: Self.late).notes
    }

    func expectDone(_ verdict: Verdict, at now: Int64 = late) async throws {
        #expect(
            try await bench.verdicts(run).filter { $0 != .passed }
                == [verdict].filter { $0 != .passed }
        )
        #expect(try await bench.ledger.finishedRuns() == [run])
        #expect(try await bench.ledger.progress(run, now: now).done == lease.shard.tests.count * 2)
    }
}
