import FarmCore
import FarmLedger
import Testing

extension LedgerPromise {
    /// Renderers: workers that draw as the references do go first, and no cell waits for one.
    static let renderers = [
        LedgerPromise("who draws otherwise gets none of a cell while another draws as it was drawn")
        {
            let run = try await $0.open(drawn(tests: 4, cells: 2, on: ["c0"]))
            try await $0.offer("alike", "renderer.command.browser=148")
            try await $0.offer("other", "renderer.command.browser=149")
            try await $0.offer("plain", "os=linux")
            #expect(try await $0.lease("other", "1").shard.cell.id == CellID("c1"))
            #expect(try await $0.lease("alike", "1").shard.cell.id == CellID("c0"))
            #expect(try await $0.ledger.obstacle(to: WorkerID("other"), now: 0) == nil)
            let notes = try await $0.ledger.progress(run, now: 0).notes
            #expect(
                notes.map(\.message) == [
                    "worker other gets none of unit on c0: it draws otherwise than the references "
                        + "(browser 149 is not 148); worker alike draws as they do."
                ]
            )
            // One that does not say how it draws may draw alike.
            let rest = try await $0.lease("plain", "1")
            #expect(try await $0.ledger.release(rest.token, now: 0) == .accepted)
        },
        LedgerPromise("a cell goes to whoever fits when nobody draws as its references were drawn")
        {
            let run = try await $0.open(drawn(tests: 2))
            try await $0.offer("alike", "renderer.command.browser=148")
            try await $0.offer("other", "renderer.command.browser=149")
            #expect(try await $0.claim("other", "1") == nil)
            let reason = try await $0.ledger.obstacle(to: WorkerID("other"), now: 0)
            #expect(reason?.code == "draws-otherwise")
            #expect(try await $0.ledger.progress(run, now: 0).workers == 1)
            try await $0.ledger.takeBack(.lost(WorkerID("alike")), now: 1)
            let lease = try await $0.lease("other", "2", now: 1)
            #expect(try await $0.ledger.obstacle(to: WorkerID("other"), now: 1) == nil)
            let notes = try await $0.ledger.progress(run, now: 1).notes
            #expect(
                notes.map(\.message) == [
                    "no live worker draws as the references of unit on c0 do: worker other draws "
                        + "them anew (browser 149 is not 148)."
                ]
            )
            #expect(try await $0.ledger.release(lease.token, now: 1) == .accepted)
            // Its return takes the cell back.
            try await $0.offer("alike", "renderer.command.browser=148", now: 2)
            #expect(try await $0.claim("other", "3", now: 2) == nil)
            // A worker that falls silent counts as dead after the time of a lease.
            let silent = LedgerBench.leaseMilliseconds + 3
            #expect(try await $0.claim("other", "4", now: silent) != nil)
        },
        LedgerPromise("a worker that cannot work, or is suspended, holds no cell") {
            _ = try await $0.open(drawn(tests: 40))
            try await $0.offer("alike", "renderer.command.browser=148")
            try await $0.offer("other", "renderer.command.browser=149")
            let problem = Problem(code: "worker-unfit", message: "no disk.", remedy: "")
            let alike = WorkerID("alike")
            try await $0.ledger.registerWorker(alike, unfit: problem, beginsAnew: false, now: 1)
            let lease = try await $0.lease("other", "1", now: 1)
            #expect(try await $0.ledger.release(lease.token, now: 1) == .accepted)
            try await $0.ledger.registerWorker(alike, unfit: nil, beginsAnew: false, now: 2)
            #expect(try await $0.claim("other", "2", now: 2) == nil)
            // Ten failures of a worker that never passed a test.
            let failing = try await $0.lease("alike", "1", now: 3)
            let failed = failing.shard.tests.prefix(10).map { LedgerBench.failed($0) }
            _ = try await $0.report(failing, Array(failed), now: 3)
            #expect(try await $0.claim("other", "3", now: 4) != nil)
        },
        LedgerPromise("changes that nobody else could confirm suspend no worker") {
            var plan = drawn(tests: 30)
            plan.jobs[0].job.kind = .snapshot
            let run = try await $0.open(plan)
            try await $0.offer("alike", "renderer.command.browser=148")
            try await $0.offer("other", "renderer.command.browser=149")
            for number in 0..<30 {
                guard let lease = try await $0.claim("alike", "\(number)") else { break }
                let reports = try lease.shard.tests.map { try changed(lease, $0) }
                _ = try await $0.complete(lease, reporting: reports, now: 1)
                #expect(try await $0.claim("other", "\(number)", now: 1) == nil)
            }
            #expect(try await $0.verdicts(run).allSatisfy { $0 == .changed })
        },
        LedgerPromise("what failed runs again on the only worker that draws alike, others or not") {
            _ = try await $0.open(drawn(tests: 1, retries: 2))
            try await $0.offer("alike", "renderer.command.browser=148")
            try await $0.offer("other", "renderer.command.browser=149")
            let lease = try await $0.lease("alike", "1")
            _ = try await $0.complete(lease, reporting: [LedgerBench.failed(TestID("t0"))], now: 1)
            #expect(try await $0.claim("other", "1", now: 2) == nil)
            #expect(try await $0.claim("alike", "2", now: 2)?.shard.tests == [TestID("t0")])
        },
        LedgerPromise("a renderer counts only for workers that meet the needs, and one of several")
        {
            var plan = drawn(tests: 2, renderers: ["148", "150"])
            plan.jobs[0].job.needs = Needs([try Need(name: "gpu", parsing: "true")])
            _ = try await $0.open(plan)
            try await $0.offer("alike", "renderer.command.browser=148")
            try await $0.offer("other", "gpu", "renderer.command.browser=149")
            let lease = try await $0.lease("other", "1")
            #expect(try await $0.ledger.release(lease.token, now: 0) == .accepted)
            try await $0.offer("second", "gpu", "renderer.command.browser=150")
            #expect(try await $0.claim("other", "2") == nil)
            #expect(try await $0.claim("second", "1") != nil)
        },
    ]

    /// Returns a plan; browser 148, or `renderers`, drew the references of the cells `on`.
    private static func drawn(
        tests: Int,
        cells: Int = 1,
        retries: Int = 0,
        on drawn: [String] = ["c0"],
        renderers: [String] = ["148"]
    ) -> Plan {
        var plan = LedgerBench.plan(tests: tests, cells: cells, retries: retries)
        plan.drawn = [
            DrawnReferences(
                job: LedgerBench.job,
                cells: drawn.map { CellID($0) },
                renderers: renderers.map { ["browser": $0] }
            )
        ]
        return plan
    }
}
