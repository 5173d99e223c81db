import FarmCore
import FarmLedger
import Testing

extension LedgerPromise {
    /// Runs: opened once, found again, closed once.
    static let runs = [
        LedgerPromise("the same key opens the same run, and its plan is there before any lease") {
            let plan = LedgerBench.plan(tests: 3)
            let first = try await $0.open(plan, key: "k", id: "first")
            let again = try await $0.open(plan, key: "k", id: "second", now: 9)
            #expect(first == again)
            #expect(try await $0.ledger.openRuns() == [first])
            #expect(try await $0.ledger.progress(first, now: 0).planned == 3)
            #expect(try await $0.ledger.run(first).plan == plan)
            #expect(try await $0.ledger.run(first).startedAt == 0)
            await #expect(throws: LedgerError.self) {
                [bench = $0] in try await bench.ledger.run(RunID("second"))
            }
        },
        LedgerPromise("open runs are listed oldest first, and found by the digest of their plan") {
            let plan = LedgerBench.plan(tests: 1)
            let old = try await $0.open(plan, key: "old", now: 1)
            let new = try await $0.open(plan, key: "new", now: 2)
            #expect(try await $0.ledger.openRuns() == [old, new])
            let digest = plan.digest.description
            #expect(try await $0.ledger.openRun(planDigest: digest) == new)
            #expect(try await $0.ledger.openRun(planDigest: "another") == nil)
            let judged = try await $0.judgement(new, .cancelled)
            try await $0.ledger.close(new, judged: judged, now: 3)
            #expect(try await $0.ledger.openRun(planDigest: digest) == old)
        },
        LedgerPromise("a run is abandoned when nobody has, took or ended a lease of it for long") {
            let run = try await $0.open(LedgerBench.plan(tests: 2), now: 10)
            #expect(try await $0.ledger.abandonedRuns(since: 10, now: 100) == [])
            #expect(try await $0.ledger.incidents(run).isEmpty)
            let lease = try await $0.lease("a", "1", now: 20)
            #expect(try await $0.ledger.abandonedRuns(since: 90, now: 100) == [])
            _ = try await $0.ledger.release(lease.token, now: 30)
            #expect(try await $0.ledger.abandonedRuns(since: 30, now: 100) == [])
            #expect(try await $0.ledger.abandonedRuns(since: 31, now: 100) == [run])
            #expect(try await $0.ledger.abandonedRuns(since: 32, now: 100) == [run])
            #expect(try await $0.ledger.incidents(run).map(\.code) == ["run-abandoned"])
            let judged = try await $0.judgement(run, .cancelled)
            try await $0.ledger.close(run, judged: judged, now: 101)
            #expect(try await $0.ledger.abandonedRuns(since: 100, now: 200) == [])
        },
        LedgerPromise("a run is finished when every test case has a verdict and no lease lives") {
            let run = try await $0.open(LedgerBench.plan(tests: 2))
            let first = try await $0.lease("a", "1")
            #expect(try await $0.pass(first, TestID("t0"), now: 1) == .accepted)
            #expect(try await $0.complete(first, now: 2) == .accepted)
            #expect(try await $0.ledger.finishedRuns() == [])
            let second = try await $0.lease("a", "2", now: 3)
            #expect(try await $0.pass(second, TestID("t1"), now: 4) == .accepted)
            #expect(try await $0.ledger.finishedRuns() == [])
            #expect(try await $0.complete(second, now: 5) == .accepted)
            #expect(try await $0.ledger.finishedRuns() == [run])
        },
        LedgerPromise("a completion never hides that its run ended, or that something waits") {
            let run = try await $0.open(LedgerBench.plan(tests: 2))
            func end(_ lease: Lease, now: Int64, on bench: LedgerBench) async throws
                -> CompletionReceipt
            {
                for test in lease.shard.tests {
                    #expect(try await bench.pass(lease, test, now: now) == .accepted)
                }
                let evidence = LeaseEvidence(job: lease.shard.job.name, cell: lease.shard.cell.id)
                return try await bench.ledger.complete(lease.token, evidence: evidence, now: now)
            }
            try await $0.ledger.hello(WorkerID("b"), now: 0)
            let first = try await $0.lease("a", "1")
            #expect(first.shard.tests.count == 1)
            #expect(try await end(first, now: 1, on: $0).leavesWork)
            let second = try await $0.lease("a", "2", now: 2)
            #expect(try await end(second, now: 3, on: $0).mayEndRun)
            #expect(try await $0.ledger.finishedRuns() == [run])
        },
        LedgerPromise("a run is closed once; closing it again changes nothing") {
            let run = try await $0.open(LedgerBench.plan(tests: 1))
            #expect(try await $0.ledger.judged(run) == nil)
            let passed = try await $0.judgement(run, .passed)
            try await $0.ledger.close(run, judged: passed, now: 5)
            let cancelled = try await $0.judgement(run, .cancelled)
            try await $0.ledger.close(run, judged: cancelled, now: 6)
            #expect(try await $0.ledger.judged(run) == passed)
            #expect(try await $0.ledger.run(run).state == .passed)
            #expect(try await $0.ledger.openRuns() == [])
            #expect(try await $0.ledger.finishedRuns() == [])
        },
        LedgerPromise("a closed run leases nothing, and the key opens no other") {
            let plan = LedgerBench.plan(tests: 2)
            let run = try await $0.open(plan)
            let judged = try await $0.judgement(run, .cancelled)
            try await $0.ledger.close(run, judged: judged, now: 1)
            #expect(try await $0.claim("a", "1", now: 2) == nil)
            #expect(try await $0.open(plan, id: "other", now: 3) == run)
            #expect(try await $0.claim("a", "2", now: 4) == nil)
        },
        LedgerPromise("closing a run ends its leases; what comes late is stale and changes nothing")
        {
            let run = try await $0.open(LedgerBench.plan(tests: 4))
            let lease = try await $0.lease("a", "1")
            #expect(try await $0.pass(lease, TestID("t0"), now: 1) == .accepted)
            let cancelled = try await $0.judgement(run, .cancelled)
            try await $0.ledger.close(run, judged: cancelled, now: 2)
            let before = try await $0.traces(run)
            #expect(try await $0.ledger.renew(lease.token, running: nil, now: 3) == .stale)
            #expect(try await $0.pass(lease, TestID("t1"), now: 3) == .stale)
            #expect(try await $0.complete(lease, now: 3) == .stale)
            try await $0.ledger.takeBack(.lost(WorkerID("a")), now: 4)
            #expect(
                try await $0.ledger.takeBack(.expired, now: LedgerBench.leaseMilliseconds + 9) == 0
            )
            #expect(try await $0.traces(run) == before)
            #expect(try await $0.ledger.judged(run)?.summary.counts == cancelled.summary.counts)
        },
    ]
}
