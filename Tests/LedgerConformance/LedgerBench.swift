// A fresh ledger, and short calls for the checks of promises. Every call asks for the ledger anew,
// so that a bench may reopen it between any two calls.
import FarmCore
import FarmLedger
import FarmTesting
import Foundation
import Testing

/// The bench of one promise: a ledger that nothing else uses.
package struct LedgerBench: Sendable {
    /// The lifetime of a lease without renewal, in milliseconds.
    package static let leaseMilliseconds = Int64(FarmLimits.leaseSeconds * 1000)
    static let job = JobName("unit")

    private let opened: @Sendable () async throws -> any Ledger

    /// Makes a bench; `open` returns the ledger for one call: the same one each time, or the same
    /// file reopened.
    package init(open: @escaping @Sendable () async throws -> any Ledger) { opened = open }

    package var ledger: any Ledger {
        get async throws { try await opened() }
    }

    // MARK: runs

    /// Returns a plan; `needs` are the job's, `deviceNeeds` those of the device of each cell.
    package static func plan(
        tests: Int,
        cells: Int = 1,
        retries: Int = 0,
        needs: Needs? = nil,
        deviceNeeds: [Int: Needs] = [:]
    ) -> Plan {
        let job = Job(
            name: Self.job,
            kind: .unit,
            driver: DriverSettings("command", ["discover": "d", "run": "r"]),
            retries: retries,
            needs: needs,
            cells: (0..<cells).map { number in
                let device = deviceNeeds[number].map {
                    Device(name: "d\(number)", width: 1, height: 1, scale: 1, needs: $0)
                }
                return Cell(id: CellID("c\(number)"), device: device, variant: [])
            }
        )
        return Plan(
            pipeline: "p",
            mode: .verify,
            filtered: false,
            pin: ReferencePin(),
            jobs: [
                PlannedJob(job: job, tests: (0..<tests).map { TestID("t\($0)") }, prepared: [:])
            ],
            workTree: "/"
        )
    }

    package func open(_ plan: Plan, key: String = "r1", id: String? = nil, now: Int64 = 0)
        async throws
        -> RunID
    {
        let facts = RunFacts.plain(
            id ?? key,
            key: key,
            mode: plan.mode,
            planDigest: plan.digest.description
        )
        return try await ledger.openRun(NewRun(key: key, facts: facts, plan: plan), now: now)
    }

    package func judgement(_ run: RunID, _ state: RunState) async throws -> JudgedRun {
        let record = try await ledger.run(run)
        let evidence = RunEvidence(
            facts: record.facts,
            plan: record.plan,
            tests: try await ledger.evidence(run).tests,
            leases: [],
            references: [:],
            cancelled: false,
            startedAt: record.startedAt
        )
        var judged = RunJudge.judge(evidence)
        judged.summary.state = state
        return judged
    }

    // MARK: leases

    /// Says hello and claims.
    package func claim(_ worker: String, _ request: String, now: Int64 = 0) async throws -> Lease? {
        try await ledger.hello(WorkerID(worker), now: now)
        return try await ledger.claim(
            worker: WorkerID(worker),
            request: request,
            warm: nil,
            now: now
        )
    }

    /// Registers a worker with its offers, such as `xcode=15.9` or `lab`.
    package func offer(_ worker: String, _ words: String..., now: Int64 = 0) async throws {
        var offer = WorkerOffer()
        for word in words { try offer.add(word: word) }
        try await ledger.registerWorker(
            WorkerID(worker),
            unfit: nil,
            offer: offer,
            beginsAnew: true,
            now: now
        )
    }

    package func lease(_ worker: String, _ request: String, now: Int64 = 0) async throws -> Lease {
        try #require(try await claim(worker, request, now: now))
    }

    package func pass(_ lease: Lease, _ test: TestID, now: Int64) async throws -> FencedAnswer {
        try await report(lease, [Self.passed(test)], now: now)[0]
    }

    package func report(_ lease: Lease, _ reports: [TestReport], now: Int64) async throws
        -> [FencedAnswer]
    {
        try await ledger.report(lease.token, reports, now: now).answers
    }

    package func complete(_ lease: Lease, now: Int64) async throws -> FencedAnswer {
        try await complete(lease, reporting: [], now: now).answer
    }

    package func complete(
        _ lease: Lease,
        reporting reports: [TestReport],
        leftOver: [TestID] = [],
        now: Int64
    ) async throws -> CompletionReceipt {
        let receipt = try await ledger.complete(
            lease.token,
            reports: reports,
            evidence: LeaseEvidence(
                job: Self.job,
                cell: lease.shard.cell.id,
                leftOver: leftOver
            ),
            now: now
        )
        // Without this mark, the coordinator does not look for finished runs.
        if !receipt.mayEndRun {
            #expect(try await !ledger.finishedRuns().contains(lease.shard.run))
        }
        return receipt
    }

    package static func passed(_ test: TestID) -> TestReport {
        TestReport(test: test, ending: .passed, seconds: 0.1)
    }

    package static func failed(_ test: TestID) -> TestReport {
        TestReport(test: test, ending: .failed("no"), seconds: 1)
    }

    /// Returns a failure that its host may have caused.
    package static func starved(_ test: TestID) -> TestReport {
        let late = Problem(code: "test-timed-out", message: "late", remedy: "")
        return TestReport(test: test, ending: .errored(late), seconds: 1, load: busy)
    }

    package static let busy = HostLoad(waiting: 0.97, source: .pressure)

    /// Makes a worker pass all tests it is leased, and returns them.
    @discardableResult
    package func passAll(by worker: String, now: Int64) async throws -> [TestID] {
        var passed: [TestID] = []
        while let lease = try await claim(worker, "all \(now) \(passed.count)", now: now) {
            let reports = lease.shard.tests.map { Self.passed($0) }
            _ = try await complete(lease, reporting: reports, now: now)
            passed += lease.shard.tests
        }
        return passed
    }

    // MARK: state

    package func attempts(_ run: RunID) async throws -> [Int] {
        try await ledger.evidence(run).tests.map(\.attempts.count)
    }

    package func verdicts(_ run: RunID) async throws -> [Verdict?] {
        try await ledger.evidence(run).tests.map(\.verdict)
    }

    /// Returns everything that a run's reports and losses have left; equal if nothing has changed.
    func traces(_ run: RunID) async throws -> LedgerTraces {
        let evidence = try await ledger.evidence(run)
        return LedgerTraces(
            tests: evidence.tests,
            leases: evidence.leases,
            cells: try await ledger.progress(run, now: 0).cells,
            records: try await ledger.leases(run)
        )
    }
}

/// The state of a run in its ledger.
struct LedgerTraces: Hashable {
    var tests: [TestEvidence]
    var leases: [LeaseEvidence]
    var cells: [CellProgress]
    var records: [LeaseRecord]
}
