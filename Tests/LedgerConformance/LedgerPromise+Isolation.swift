import FarmCore
import FarmLedger
import Testing

extension LedgerPromise {
    /// Overloaded hosts: a test that failed there runs again alone on its host, and no worker waits
    /// for ever.
    static let isolation = [
        LedgerPromise("a failure on an overloaded host runs once more with its host for itself") {
            let run = try await $0.open(LedgerBench.plan(tests: 2))
            try await $0.place(["a", "b"], on: "one")
            let first = try await $0.lease("a", "1")
            let second = try await $0.lease("b", "1")
            #expect(
                try await $0.report(first, [LedgerBench.starved(TestID("t0"))], now: 1) == [
                    .accepted
                ]
            )
            #expect(try await $0.complete(first, now: 1) == .accepted)
            #expect(try await $0.verdicts(run) == [nil, nil])
            #expect(try await $0.claim("a", "2", now: 2) == nil)
            #expect(try await $0.pass(second, TestID("t1"), now: 3) == .accepted)
            #expect(try await $0.claim("a", "3", now: 3) == nil)
            #expect(try await $0.complete(second, now: 4) == .accepted)
            let isolated = try await $0.lease("b", "2", now: 5)
            #expect(isolated.shard.tests == [TestID("t0")])
            #expect(try await $0.pass(isolated, TestID("t0"), now: 6) == .accepted)
            #expect(try await $0.complete(isolated, now: 6) == .accepted)
            #expect(try await $0.verdicts(run) == [.flaky, .passed])
            #expect(try await $0.attempts(run) == [2, 1])
        },
        LedgerPromise("beside an isolated lease its host gets nothing, and other hosts do") {
            let bench = $0
            _ = try await bench.open(LedgerBench.plan(tests: 1), key: "one")
            try await bench.place(["a", "b"], on: "one")
            try await bench.place(["c"], on: "two")
            let first = try await bench.lease("a", "1")
            _ = try await bench.report(first, [LedgerBench.starved(TestID("t0"))], now: 1)
            _ = try await bench.complete(first, now: 1)
            _ = try await bench.lease("a", "2", now: 2)
            _ = try await bench.open(LedgerBench.plan(tests: 8), key: "two", now: 3)
            #expect(try await bench.claim("b", "1", now: 3) == nil)
            #expect(try await bench.claim("a", "3", now: 3) == nil)
            #expect(try await bench.claim("c", "1", now: 3)?.shard.run == RunID("two"))
        },
        LedgerPromise("a host that is awaited drains: other runs get nothing of it until then") {
            let bench = $0
            let one = try await bench.open(LedgerBench.plan(tests: 1), key: "one")
            let two = try await bench.open(LedgerBench.plan(tests: 40), key: "two", now: 1)
            try await bench.place(["a", "b"], on: "one")
            let first = try await bench.lease("a", "1", now: 2)
            let other = try await bench.lease("b", "1", now: 2)
            #expect(other.shard.run == two)
            _ = try await bench.report(first, [LedgerBench.starved(TestID("t0"))], now: 3)
            _ = try await bench.complete(first, now: 3)
            #expect(try await bench.claim("a", "2", now: 4) == nil)
            // Run two has work, but run one began earlier and waits until it has this host for
            // itself.
            #expect(try await bench.claim("b", "busy", now: 4) == nil)
            _ = try await bench.complete(other, now: 5)
            let isolated = try await bench.lease("b", "2", now: 6)
            #expect(isolated.shard.run == one)
            _ = try await bench.pass(isolated, TestID("t0"), now: 7)
            _ = try await bench.complete(isolated, now: 7)
            #expect(try await bench.lease("b", "3", now: 8).shard.run == two)
        },
        LedgerPromise("who waited for its host alone and is gone keeps nobody from work") {
            let bench = $0
            _ = try await bench.open(LedgerBench.plan(tests: 1), key: "one")
            let two = try await bench.open(LedgerBench.plan(tests: 400), key: "two", now: 1)
            try await bench.place(["a", "b", "c"], on: "one")
            let first = try await bench.lease("a", "1", now: 2)
            _ = try await bench.lease("b", "1", now: 2)
            _ = try await bench.report(first, [LedgerBench.starved(TestID("t0"))], now: 3)
            _ = try await bench.complete(first, now: 3)
            #expect(try await bench.claim("a", "2", now: 4) == nil)
            try await bench.ledger.takeBack(.lost(WorkerID("a")), now: 5)
            // The next claim waits instead of it, until b has ended.
            #expect(try await bench.claim("c", "1", now: 6) == nil)
            try await bench.ledger.takeBack(.lost(WorkerID("b")), now: 7)
            #expect(try await bench.lease("c", "2", now: 8).shard.run == RunID("one"))
            try await bench.ledger.takeBack(.lost(WorkerID("c")), now: 9)
            let last = [
                try await bench.claim("d", "1", now: 10), try await bench.claim("e", "1", now: 11),
            ]
            #expect(Set(last.map { $0?.shard.run }) == [RunID("one"), two])
        },
        LedgerPromise("what fails again alone on its host counts against nobody") {
            _ = try await $0.open(LedgerBench.plan(tests: 9))
            try await $0.place(["a"], on: "one")
            try await $0.place(["b"], on: "two")
            var starved = 0
            while starved < 9 {
                let lease = try await $0.lease("a", "\(starved)")
                let reports = lease.shard.tests.map { LedgerBench.starved($0) }
                _ = try await $0.complete(lease, reporting: reports, now: 1)
                starved += reports.count
            }
            let isolated = try await $0.lease("a", "isolated", now: 2)
            #expect(isolated.shard.tests.count == 9)
            let again = isolated.shard.tests.map { LedgerBench.starved($0) }
            #expect(try await $0.complete(isolated, reporting: again, now: 3).answer == .accepted)
            #expect(try await $0.ledger.obstacle(to: WorkerID("a"), now: 3) == nil)
        },
        LedgerPromise("what fails again then stands, and its worker's health is the usual one's") {
            let run = try await $0.open(LedgerBench.plan(tests: 1))
            for round in 1...2 {
                let lease = try await $0.lease("a", "\(round)", now: Int64(round))
                _ = try await $0.report(
                    lease,
                    [LedgerBench.starved(TestID("t0"))],
                    now: Int64(round)
                )
                _ = try await $0.complete(lease, now: Int64(round))
            }
            #expect(try await $0.verdicts(run) == [.errored])
            #expect(try await $0.claim("a", "3", now: 4) == nil)
            let loads = try await $0.ledger.evidence(run).tests[0].attempts.map(\.report?.load)
            #expect(loads == [LedgerBench.busy, LedgerBench.busy])
        },
    ]
}

extension LedgerBench {
    func place(_ workers: [String], on host: String) async throws {
        for worker in workers { try await ledger.setHost(WorkerID(worker), on: host, now: 0) }
    }
}
