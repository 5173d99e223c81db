import FarmCore
import FarmLedger
import Testing

extension LedgerPromise {
    private static func plan(_ change: (inout Plan) -> Void) -> Plan {
        var plan = LedgerBench.plan(tests: 8)
        change(&plan)
        return plan
    }

    /// Lets a worker pass a test of another run.
    private static func proven(_ worker: String, _ bench: LedgerBench) async throws {
        let run = try await bench.open(LedgerBench.plan(tests: 1), key: "proves \(worker)")
        let lease = try await bench.lease(worker, "proves")
        #expect(lease.shard.run == run)
        let passed = [LedgerBench.passed(lease.shard.tests[0])]
        _ = try await bench.complete(lease, reporting: passed, now: 0)
    }

    /// No straggler is begun twice where that would change more than the time at which it ends.
    private static let once: [LedgerPromise] = [
        ("of a recording run", plan { $0.mode = .record }),
        (
            "of a job that runs alone beside one that does not",
            plan {
                var other = $0.jobs[0]
                other.job.name = JobName("web")
                $0.jobs[0].job.exclusive = true
                $0.jobs.append(other)
            }
        ),
        ("that is repeated anyway", plan { $0.rules = RunRules(repeats: 2) }),
    ].map { which, plan in
        LedgerPromise("a straggler \(which) has no backup") {
            let it = try await Straggling($0, plan)
            #expect(try await $0.ledger.newStragglers(now: Straggling.late).isEmpty)
            let rest = try await $0.passAll(by: "b", now: Straggling.late)
            #expect(!rest.contains(it.test))
        }
    }

    /// Stragglers that nobody may help, and workers that may not.
    static let noBackups =
        once + [
            LedgerPromise("a worker that has not passed anything is given no backup") {
                let it = try await Straggling($0)
                #expect(try await $0.claim("new", "1", now: Straggling.late) == nil)
                #expect(try await it.backup().shard.tests == [it.test])
            },
            LedgerPromise("a worker that does not fit a straggler's cell gets nothing of its lease")
            {
                let gpu = Needs([try Need(name: "gpu", parsing: "true")])
                try await $0.offer("plain", "os=linux")
                try await proven("plain", $0)
                let run = try await $0.open(LedgerBench.plan(tests: 3, needs: gpu))
                try await $0.offer("able", "gpu")
                let lease = try await $0.lease("able", "1")
                _ = try await $0.pass(lease, lease.shard.tests[0], now: 1)
                let hung = lease.shard.tests[1]
                _ = try await $0.ledger.renew(lease.token, running: hung, now: 15_000)
                #expect(
                    try await $0.ledger.newStragglers(now: Straggling.late).map(\.test) == [hung]
                )
                #expect(try await $0.claim("plain", "late", now: Straggling.late) == nil)
                #expect(try await $0.ledger.leases(run).count == 1)
            },
            LedgerPromise("what waits behind a straggler is not for the worker that has it") {
                let run = try await $0.open(LedgerBench.plan(tests: 8))
                let lease = try await $0.lease("a", "1")
                try await $0.passAll(by: "b", now: 1)
                let hung = lease.shard.tests[0]
                _ = try await $0.ledger.renew(lease.token, running: hung, now: 15_000)
                #expect(try await $0.claim("a", "ahead", now: Straggling.late) == nil)
                #expect(try await $0.ledger.leases(run).first?.state == "live")
                let rest = try await $0.lease("b", "late", now: Straggling.late)
                #expect(!rest.shard.tests.contains(hung))
            },
            LedgerPromise("a lease that reports is not late, however long it has run") {
                _ = try await $0.open(LedgerBench.plan(tests: 8))
                let lease = try await $0.lease("a", "1")
                for test in lease.shard.tests.dropFirst() {
                    _ = try await $0.pass(lease, test, now: 15_000)
                }
                #expect(try await $0.ledger.newStragglers(now: Straggling.late).isEmpty)
                let late = try await $0.ledger.newStragglers(now: 15_000 + Straggling.late)
                #expect(late.map(\.test) == [lease.shard.tests[0]])
            },
            LedgerPromise("what nobody else may take stays behind its straggler") {
                let run = try await $0.open(LedgerBench.plan(tests: 4, retries: 1))
                let first = try await $0.lease("b", "1")
                let quick = first.shard.tests.enumerated().map { place, test in
                    TestReport(test: test, ending: place == 0 ? .passed : .failed("no"), seconds: 0)
                }
                _ = try await $0.complete(first, reporting: quick, now: 1)
                let lease = try await $0.lease("a", "1", now: 1)
                let (failed, hung) = (first.shard.tests[1], lease.shard.tests[1])
                #expect(lease.shard.tests.first == failed && lease.shard.tests.count == 3)
                _ = try await $0.pass(lease, lease.shard.tests[2], now: 1)
                _ = try await $0.ledger.renew(lease.token, running: hung, now: 15_000)
                for request in ["late", "later"] {
                    #expect(try await $0.claim("b", request, now: Straggling.late) == nil)
                }
                #expect(try await $0.pass(lease, failed, now: Straggling.late) == .accepted)
                #expect(try await $0.attempts(run) == [1, 2, 0, 1])
                #expect(try await $0.claim("c", "1", now: Straggling.late) == nil)
                #expect(try await $0.ledger.progress(run, now: Straggling.late).done == 3)
            },
            LedgerPromise("no worker helps out whose host is to be quiet, or is") {
                let it = try await Straggling($0)
                let late = Straggling.late
                let gpu = Needs([try Need(name: "gpu", parsing: "true")])
                let two = LedgerBench.plan(tests: 1, needs: gpu)
                _ = try await $0.open(two, key: "two", now: late)
                try await $0.offer("q", "gpu", now: late)
                for worker in ["b", "q", "x"] {
                    try await $0.ledger.locate(WorkerID(worker), on: "one", now: late)
                }
                let starved = try await $0.lease("q", "1", now: late)
                _ = try await $0.open(LedgerBench.plan(tests: 1), key: "three", now: late)
                let other = try await $0.lease("x", "1", now: late)
                let test = starved.shard.tests[0]
                let failure = LedgerBench.starved(test)
                _ = try await $0.complete(starved, reporting: [failure], now: late)
                #expect(try await $0.claim("q", "2", now: late) == nil)
                #expect(try await $0.claim("b", "awaited", now: late) == nil)
                let passed = [LedgerBench.passed(other.shard.tests[0])]
                _ = try await $0.complete(other, reporting: passed, now: late)
                let quiet = try await $0.lease("q", "3", now: late)
                #expect(quiet.shard.tests == [test] && quiet.shard.run == RunID("two"))
                #expect(try await $0.claim("b", "quiet", now: late) == nil)
                _ = try await $0.complete(quiet, reporting: [LedgerBench.passed(test)], now: late)
                #expect(try await it.backup().shard.tests == [it.test])
            },
        ]
}
