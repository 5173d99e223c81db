// Workers without processes over a real ledger. In each tick every worker runs some tests; their
// results depend on the number of tests it has run before.
import FarmCore
import FarmLedger
import FarmTesting
import Foundation
import LedgerConformance
import Testing

final class LedgerFarm {
    final class Worker {
        let id: WorkerID
        let testsPerTick: Int
        /// Returns the ending of a test, given the number of tests that the worker ran before.
        let ending: (Int) -> TestEnding
        /// The time in milliseconds at which the worker registers.
        let comesAt: Int64
        fileprivate var hasCome = false
        fileprivate var lease: Lease?
        fileprivate var left: [TestID] = []
        fileprivate var claims = 0
        fileprivate(set) var ran = 0

        init(
            _ name: String,
            testsPerTick: Int,
            comesAt: Int64 = 0,
            ending: @escaping (Int) -> TestEnding
        ) {
            id = WorkerID(name)
            self.testsPerTick = testsPerTick
            self.comesAt = comesAt
            self.ending = ending
        }
    }

    let ledger: SQLiteLedger
    private let folder: TemporaryFolder
    private(set) var now: Int64 = 0

    init(_ name: String, workersMin: Int = 1) throws {
        folder = try TemporaryFolder(name)
        ledger = try SQLiteLedger(path: folder.file("ledger.sqlite"), workersMin: workersMin)
    }

    func open(
        tests: Int,
        retries: Int = 0,
        rules: RunRules? = nil,
        id: String = "r"
    ) async throws -> RunID {
        let plan = Self.plan(tests: tests, retries: retries, rules: rules)
        let facts = RunFacts.plain(id)
        return try await ledger.openRun(NewRun(key: id, facts: facts, plan: plan), now: now)
    }

    /// Returns a plan of the tests t0, t1 … of one job on one cell.
    static func plan(tests: Int, retries: Int = 0, rules: RunRules? = nil) -> Plan {
        let job = Job(
            name: JobName("unit"),
            kind: .unit,
            driver: DriverSettings("command", ["discover": "d", "run": "r"]),
            retries: retries,
            cells: [Cell(id: CellID("c"), device: nil, variant: [])]
        )
        let names = (0..<tests).map { TestID("t\($0)") }
        return Plan(
            pipeline: "p",
            mode: .verify,
            filtered: false,
            pin: ReferencePin(),
            jobs: [PlannedJob(job: job, tests: names, prepared: [:])],
            rules: rules,
            workTree: "/"
        )
    }

    func claim(
        _ worker: String,
        _ request: String,
        warm: CellID? = nil
    ) async throws -> Lease? {
        try await ledger.registerWorker(WorkerID(worker), unfit: nil, beginsAnew: false, now: now)
        return try await ledger.claim(
            worker: WorkerID(worker),
            request: request,
            warm: warm,
            now: now
        )
    }

    /// Works until every lease has ended and the run is done, for at most 20,000 ticks.
    func work(_ workers: [Worker], until run: RunID) async throws {
        for worker in workers { worker.hasCome = false }
        for _ in 0..<20_000 {
            for worker in workers where !worker.hasCome && worker.comesAt <= now {
                try await ledger.registerWorker(worker.id, unfit: nil, beginsAnew: true, now: now)
                worker.hasCome = true
            }
            now += 10
            for worker in workers where worker.hasCome { try await tick(worker) }
            let finished = try await ledger.finishedRuns()
            if finished.contains(run) { return }
        }
        Issue.record("the run does not end: \(try await ledger.progress(run, now: now))")
    }

    private func tick(_ worker: Worker) async throws {
        guard let lease = worker.lease else {
            worker.claims += 1
            worker.lease = try await ledger.claim(
                worker: worker.id,
                request: "\(worker.id)-\(worker.claims)-\(now)",
                warm: nil,
                now: now
            )
            worker.left = worker.lease?.shard.tests ?? []
            return
        }
        let reports = worker.left.prefix(worker.testsPerTick).map { test in
            defer { worker.ran += 1 }
            return TestReport(test: test, ending: worker.ending(worker.ran), seconds: 0.001)
        }
        worker.left.removeFirst(reports.count)
        let answers = try await ledger.report(lease.token, reports, now: now).answers
        if answers.contains(.stale) {
            worker.lease = nil
        } else if worker.left.isEmpty {
            let evidence = LeaseEvidence(job: lease.shard.job.name, cell: lease.shard.cell.id)
            _ = try await ledger.complete(lease.token, evidence: evidence, now: now)
            worker.lease = nil
        } else {
            _ = try await ledger.renew(lease.token, running: worker.left.first, now: now)
        }
    }
}
