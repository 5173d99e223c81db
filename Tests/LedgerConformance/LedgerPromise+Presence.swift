import FarmCore
import FarmLedger
import Testing

extension LedgerPromise {
    /// Presence: the workers that count as present, and for how long.
    static let presence = [
        LedgerPromise("a grace shortens no lease") {
            _ = try await $0.open(LedgerBench.plan(tests: 2))
            let lease = try await $0.lease("a", "1")
            try await $0.ledger.extendLeases(seconds: 1, now: 1_000)
            #expect(try await $0.ledger.takeBack(.expired, now: 3_000) == 0)
            #expect(try await $0.pass(lease, lease.shard.tests[0], now: 3_000) == .accepted)
        },
        LedgerPromise("a clock that was set back before a restart delays no lease") {
            _ = try await $0.open(LedgerBench.plan(tests: 2), now: 9_000_000)
            _ = try await $0.lease("a", "1", now: 9_000_000)
            try await $0.ledger.extendLeases(seconds: FarmLimits.leaseSeconds, now: 1_000)
            #expect(try await $0.ledger.takeBack(.expired, now: 30_000) == 0)
            #expect(try await $0.ledger.takeBack(.expired, now: 31_001) == 1)
        },
        LedgerPromise("a grace brings nobody back who was silent long before") {
            try await $0.ledger.hello(WorkerID("old"), now: 0)
            try await $0.ledger.hello(WorkerID("b"), now: 100_000)
            try await $0.ledger.extendLeases(seconds: FarmLimits.leaseSeconds, now: 110_000)
            _ = try await $0.open(LedgerBench.plan(tests: 100), now: 110_000)
            // With another worker present, its lease would be small.
            let lease = try await $0.lease("b", "1", now: 110_000)
            #expect(lease.shard.tests.count > FarmLimits.unprovenTestsMax)
        },
        LedgerPromise("a worker that only renews its lease is there") {
            _ = try await $0.open(LedgerBench.plan(tests: 400))
            let lease = try await $0.lease("a", "1")
            #expect(try await $0.ledger.renew(lease.token, running: nil, now: 25_000) == .accepted)
            let beside = try await $0.lease("b", "1", now: 40_000)
            #expect(beside.shard.tests.count == FarmLimits.unprovenTestsMax)
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
            #expect(lease.shard.tests.count == 4)
        },
        LedgerPromise("only workers that fit a cell have a second look at what failed there") {
            let gpu = Needs([try Need(name: "gpu", parsing: "true")])
            let run = try await $0.open(LedgerBench.plan(tests: 1, needs: gpu))
            try await $0.offer("plain", "os=linux")
            try await $0.offer("able", "gpu")
            let lease = try await $0.lease("able", "1")
            _ = try await $0.complete(lease, reporting: [LedgerBench.failed(TestID("t0"))], now: 1)
            #expect(try await $0.verdicts(run) == [.failed])
        },
        LedgerPromise("a picture that is recorded is taken again by another worker") {
            var plan = LedgerBench.plan(tests: 1)
            plan.mode = .record
            let run = try await $0.open(plan)
            try await $0.ledger.hello(WorkerID("b"), now: 0)
            let lease = try await $0.lease("a", "1")
            let report = try recorded(lease.shard.tests[0], lease.shard.cell.id)
            _ = try await $0.complete(lease, reporting: [report], now: 1)
            #expect(try await $0.verdicts(run) == [nil])
            #expect(try await $0.claim("a", "2", now: 2) == nil)
            let again = try await $0.lease("b", "1", now: 3)
            _ = try await $0.complete(again, reporting: [report], now: 4)
            #expect(try await $0.verdicts(run) == [.passed])
        },
        LedgerPromise("what is taken from a worker that is suspended counts no attempt") {
            let run = try await $0.open(LedgerBench.plan(tests: 40))
            // Beside others, an unproven worker gets ten tests, and ten failures suspend it.
            try await $0.ledger.hello(WorkerID("b"), now: 0)
            let lease = try await $0.lease("a", "1")
            let first = lease.shard.tests.map { LedgerBench.failed($0) }
            _ = try await $0.report(lease, first, now: 1)
            #expect(try await $0.ledger.obstacle(to: WorkerID("a"), now: 3)?.code == suspended)
            #expect(try await $0.ledger.leases(run).first?.state == "withdrawn")
            #expect(try await $0.claim("a", "2", now: 3) == nil)
            try await $0.passAll(by: "b", now: 4)
            #expect(try await $0.ledger.incidents(run).map(\.code) == [suspended])
            #expect(try await $0.verdicts(run).count { $0 == .flaky } == 10)
            let later = 2 + Int64(FarmLimits.suspendedSeconds * 1000)
            try await $0.ledger.hello(WorkerID("b"), now: later)
            #expect(try await $0.ledger.obstacle(to: WorkerID("a"), now: later) == nil)
        },
    ]

    private static let suspended = "worker-suspended"

    private static func recorded(_ test: TestID, _ cell: CellID) throws -> TestReport {
        let bytes = Array("picture".utf8)
        let capture = Capture(
            id: try SnapshotID(cell: cell, suite: "suite", name: "picture"),
            test: test,
            digest: Digest(of: bytes),
            objectID: ObjectID(ofBlob: bytes),
            bytes: bytes.count
        )
        var report = LedgerBench.passed(test)
        report.pictures.captures = [CaptureReport(capture: capture)]
        return report
    }
}
