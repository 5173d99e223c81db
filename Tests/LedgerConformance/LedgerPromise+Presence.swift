import FarmCore
import FarmLedger
import Testing

extension LedgerPromise {
    /// Presence: who counts as another worker, and for how long.
    static let presence = [
        LedgerPromise("a grace shortens no lease") {
            _ = try await $0.open(LedgerBench.plan(tests: 2))
            let lease = try await $0.lease("a", "1")
            try await $0.ledger.grantGrace(seconds: 1, now: 1_000)
            #expect(try await $0.ledger.reap(now: 3_000) == 0)
            #expect(try await $0.pass(lease, lease.shard.tests[0], now: 3_000) == .accepted)
        },
        LedgerPromise("a grace brings nobody back who was silent long before") {
            try await $0.ledger.hello(WorkerID("old"), now: 0)
            try await $0.ledger.hello(WorkerID("b"), now: 100_000)
            try await $0.ledger.grantGrace(seconds: FarmLimits.leaseSeconds, now: 110_000)
            _ = try await $0.open(LedgerBench.plan(tests: 100), now: 110_000)
            // With somebody beside it, it would begin with little.
            let lease = try await $0.lease("b", "1", now: 110_000)
            #expect(lease.shard.tests.count > FarmLimits.canaryTestsMax)
        },
        LedgerPromise("a worker that only renews its lease is there") {
            _ = try await $0.open(LedgerBench.plan(tests: 400))
            let lease = try await $0.lease("a", "1")
            #expect(try await $0.ledger.renew(lease.token, running: nil, now: 25_000) == .accepted)
            let beside = try await $0.lease("b", "1", now: 40_000)
            #expect(beside.shard.tests.count == FarmLimits.canaryTestsMax)
        },
        LedgerPromise("cells are shared by the workers that fit them") {
            let gpu = Needs([try Need(name: "gpu", parsing: "true")])
            let plan = LedgerBench.plan(tests: 8, cells: 2, deviceNeeds: [1: gpu])
            _ = try await $0.open(plan)
            try await $0.offer("plain", "os=linux")
            #expect(try await $0.lease("plain", "1").shard.cell.id == CellID("c0"))
            try await $0.offer("able", "gpu")
            let lease = try await $0.lease("able", "1")
            #expect(lease.shard.cell.id == CellID("c1"))
            let alone = ShardSize.next(waitingInCell: 8, waiting: 8, workers: 1)
            #expect(lease.shard.tests.count == alone)
        },
    ]
}
