import FarmCore
import FarmLedger
import Testing

extension LedgerPromise {
    /// Claims: each request has one lease, each test case one holder, each lease a later epoch.
    static let claims = [
        LedgerPromise("the same request gets the same lease; another worker gets other tests") {
            _ = try await $0.open(LedgerBench.plan(tests: 10))
            let lease = try await $0.lease("a", "1")
            #expect(try await $0.claim("a", "1", now: 9) == lease)
            let other = try await $0.lease("b", "1")
            #expect(Set(lease.shard.tests).isDisjoint(with: other.shard.tests))
            #expect(other.token.epoch > lease.token.epoch)
        },
        LedgerPromise("a request gets its lease again without the tests it has reported") {
            _ = try await $0.open(LedgerBench.plan(tests: 4))
            let lease = try await $0.lease("a", "1")
            #expect(lease.shard.tests == [TestID("t0"), TestID("t1")])
            #expect(try await $0.pass(lease, TestID("t0"), now: 1) == .accepted)
            let again = try await $0.lease("a", "1", now: 2)
            #expect(again.token == lease.token)
            #expect(again.shard.tests == [TestID("t1")])
        },
        LedgerPromise("a request that comes again after its lease has ended gets nothing") {
            let run = try await $0.open(LedgerBench.plan(tests: 4))
            let lease = try await $0.lease("a", "1")
            #expect(try await $0.ledger.release(lease.token, now: 1) == .accepted)
            let before = try await $0.traces(run)
            #expect(try await $0.claim("a", "1", now: 2) == nil)
            #expect(try await $0.traces(run) == before)
            #expect(try await $0.claim("a", "2", now: 3)?.shard.tests == lease.shard.tests)
        },
        LedgerPromise("a lease is cut to take half of its shard's time, by what its tests took") {
            var plan = LedgerBench.plan(tests: 40)
            plan.jobs[0].job.timeouts = JobTimeouts(testSeconds: 4, shardSeconds: 10)
            _ = try await $0.open(plan)
            // While nothing is known, each test counts with its own time limit.
            let first = try await $0.lease("a", "1")
            #expect(first.shard.tests.count == 2)
            let reports = first.shard.tests.map {
                TestReport(test: $0, ending: .passed, seconds: 1)
            }
            _ = try await $0.complete(first, reporting: reports, now: 1)
            #expect(try await $0.lease("a", "2", now: 2).shard.tests.count == 5)
        },
        LedgerPromise("epochs grow over releases, losses, restarts and runs") {
            _ = try await $0.open(LedgerBench.plan(tests: 1), key: "one")
            var epochs: [Int64] = []
            for round in 1...3 {
                let lease = try await $0.lease("a", "\(round)", now: 1)
                epochs.append(lease.token.epoch)
                switch round {
                case 1: _ = try await $0.ledger.release(lease.token, now: 2)
                case 2: try await $0.ledger.takeBack(.lost(WorkerID("a")), now: 2)
                default: try await $0.ledger.takeBack(.restart, now: 2)
                }
            }
            _ = try await $0.open(LedgerBench.plan(tests: 1), key: "two")
            epochs.append(try await $0.lease("b", "1", now: 3).token.epoch)
            #expect(epochs == epochs.sorted())
            #expect(Set(epochs).count == epochs.count)
        },
        LedgerPromise("no test case is under two live leases, and none is left out") {
            _ = try await $0.open(LedgerBench.plan(tests: 7, cells: 3))
            var held: [String] = []
            for number in 0..<60 {
                guard let lease = try await $0.claim("w\(number)", "1") else { break }
                held += lease.shard.tests.map { "\(lease.shard.cell.id) \($0)" }
            }
            #expect(held.count == 21)
            #expect(Set(held).count == 21)
            #expect(try await $0.claim("late", "1") == nil)
        },
        LedgerPromise("a test that failed runs again on another worker where there is one") {
            _ = try await $0.open(LedgerBench.plan(tests: 1, retries: 2))
            try await $0.ledger.hello(WorkerID("b"), now: 0)
            let lease = try await $0.lease("a", "1")
            let bad = TestReport(test: TestID("t0"), ending: .failed("no"), seconds: 1)
            let receipt = try await $0.ledger.report(lease.token, [bad], now: 1)
            #expect(receipt == ReportReceipt(answers: [.accepted], requeued: true))
            #expect(try await $0.complete(lease, now: 2) == .accepted)
            #expect(try await $0.claim("a", "2", now: 3) == nil)
            #expect(try await $0.claim("b", "1", now: 4)?.shard.tests == [TestID("t0")])
        },
    ]
}
