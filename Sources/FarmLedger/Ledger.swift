// The interface of the ledger, the durable record of what was planned, leased, reported and judged.
// No durable state is in memory: a crash is a restart. Every call is one change and may come twice.
// Several changes may share a commit (`GroupCommit`).
import FarmCore
import Foundation

/// The data of a run that the ledger is to open.
package struct NewRun: Sendable {
    /// The caller's key for the run; the same key of the same pipeline opens the same run.
    package var key: String
    package var facts: RunFacts
    package var plan: Plan
    /// The expected costs of the test cases, in the plan's shape, or `nil` if they are unknown.
    package var costs: PlanCosts?
    /// The priority of the run; runs of its team with a higher one are served first.
    package var priority: Int

    package init(
        key: String,
        facts: RunFacts,
        plan: Plan,
        costs: PlanCosts? = nil,
        priority: Int = 0
    ) {
        self.key = key
        self.facts = facts
        self.plan = plan
        self.costs = costs
        self.priority = priority
    }
}

/// A run as the ledger stores it.
package struct RunRecord: Sendable {
    package var id: RunID
    package var facts: RunFacts
    package var plan: Plan
    package var state: RunState
    /// The time of the run's start, in milliseconds since 1970.
    package var startedAt: Int64
}

/// An open run with rows that cannot be read or used.
package struct DamagedRun: Sendable {
    package var id: RunID
    /// The run's facts, or `RunFacts.unknown` if they cannot be read.
    package var facts: RunFacts
    /// The time of the run's start, in milliseconds since 1970.
    package var startedAt: Int64
    package var reason: Problem
}

/// A lease as the ledger stores it, for timelines and as proof that jobs ran side by side.
package struct LeaseRecord: Sendable, Hashable, Codable {
    package var epoch: Int64
    package var worker: WorkerID
    package var job: JobName
    package var cell: CellID
    package var state: String
    /// The time of the lease's grant, in milliseconds since 1970.
    package var granted: Int64
    package var ended: Int64?
}

/// The ledger's answers to reports.
package struct ReportReceipt: Sendable, Hashable {
    /// The answer to each report, in order.
    package var answers: [FencedAnswer]
    /// Whether waiting claims may find work: a test case waits again, or a worker may go on.
    package var requeued: Bool

    package init(answers: [FencedAnswer], requeued: Bool) {
        self.answers = answers
        self.requeued = requeued
    }
}

/// The ledger's answer to the completion of a lease.
package struct CompletionReceipt: Sendable, Hashable {
    package var answer: FencedAnswer
    /// The answer to each report that came with the completion, in order.
    package var answers: [FencedAnswer]
    /// Whether the run may have ended: none of its leases is known to be live.
    package var mayEndRun: Bool
    /// Whether waiting claims may find work: a test case of an open run waits.
    package var leavesWork: Bool

    package init(
        answer: FencedAnswer,
        answers: [FencedAnswer],
        mayEndRun: Bool = true,
        leavesWork: Bool = true
    ) {
        self.answer = answer
        self.answers = answers
        self.mayEndRun = mayEndRun
        self.leavesWork = leavesWork
    }
}

/// The reason why the ledger takes leases back without a call of their workers.
package enum LossReason: Sendable, Hashable {
    /// The leases' deadline has passed; the running test of each counts an attempt.
    case expired
    /// The leases' deadline has passed during a pause of the coordinator itself; no attempt counts.
    case stalled
    /// The worker of the lease was lost; the running test counts an attempt.
    case lost(WorkerID)
    /// The coordinator was restarted, so that all leases end; no attempt counts.
    case restart
}

/// Decisions in the order they were made.
package struct DecisionList: Sendable, Hashable {
    package var decisions: [Decision]
    /// The number of the list's last decision; for an empty list, the number after which the caller
    /// asked for decisions.
    ///
    /// Numbers grow with each decision and are above 0.
    package var newest: Int64

    package init(decisions: [Decision], newest: Int64) {
        self.decisions = decisions
        self.newest = newest
    }
}

/// A time in milliseconds since 1970; the ledger never reads a clock itself.
package typealias Milliseconds = Int64

/// The calls of a coordinator to its durable record.
package protocol Ledger: Sendable {
    /// Opens a run with all its test cases, or returns the run that has its key already.
    func openRun(_ run: NewRun, now: Milliseconds) async throws -> RunID
    func run(_ id: RunID) async throws -> RunRecord
    /// Returns the runs that have not ended, oldest first.
    func openRuns() async throws -> [RunID]
    /// Returns the open runs that cannot be read.
    ///
    /// A claim fails on one until it is closed.
    func damagedRuns() async throws -> [DamagedRun]
    /// Returns the open runs without a live lease that were stopped or whose test cases all have a
    /// verdict.
    func finishedRuns() async throws -> [RunID]
    /// Returns the open runs that were opened before `since` and have had no lease since then, and
    /// notes that each is given up.
    func abandonedRuns(since: Milliseconds, now: Milliseconds) async throws -> [RunID]
    /// Returns the newest open run of a plan, or `nil` if there is none.
    func openRun(planDigest: String) async throws -> RunID?

    /// Notes that a worker lives at `now`.
    func hello(_ worker: WorkerID, now: Milliseconds) async throws
    /// Notes a worker's state: why it cannot work, what it offers, or that it begins anew and
    /// counts as a new worker.
    ///
    /// Without an `offer` the worker's last one stays, unless it begins anew.
    func registerWorker(
        _ worker: WorkerID,
        unfit: Problem?,
        offer: WorkerOffer?,
        beginsAnew: Bool,
        now: Milliseconds
    ) async throws
    /// Notes the host of a worker.
    ///
    /// A worker that reported no host counts as a host of its own.
    func setHost(_ worker: WorkerID, on host: String, now: Milliseconds) async throws
    /// Returns why a worker gets no work now, or `nil` if it may work.
    func obstacle(to worker: WorkerID, now: Milliseconds) async throws -> Problem?
    /// Leases test cases that fit the worker's offer.
    ///
    /// Returns `nil` if there are none, or if the worker has a lease. The same `request` gets the
    /// same lease again. The worker gets only tests of pipelines in `reach`.
    func claim(
        worker: WorkerID,
        request: String,
        warm: CellID?,
        reach: PipelineReach,
        now: Milliseconds
    ) async throws -> Lease?
    /// Trims the leases of slow tests to the tests that they have started, if a worker is idle;
    /// returns the slow test cases.
    func trimStragglers(now: Milliseconds) async throws -> [TestKey]
    /// Extends a lease by `FarmLimits.leaseSeconds`, and notes the test that runs.
    ///
    /// `started` are the other tests that the lease has started and not reported: trimming leaves
    /// them in the lease. A lease that starts tests counts as active, like one that reports.
    /// `reached` is the number of tests without a report that the lease's programs have probably
    /// come to. It only shows in the progress.
    func renew(
        _ token: LeaseToken,
        running: TestID?,
        started: [TestID],
        reached: Int,
        now: Milliseconds
    ) async throws -> FencedAnswer
    /// Stores reports, and decides for each reported test case whether its verdict is final or it
    /// runs again.
    func report(
        _ token: LeaseToken,
        _ reports: [TestReport],
        now: Milliseconds
    ) async throws -> ReportReceipt
    /// Stores a lease's last reports as `report` does, then ends the lease, in one change.
    ///
    /// A test case without a report counts as lost, unless `evidence.leftOver` names it and the
    /// lease has some report.
    func complete(
        _ token: LeaseToken,
        reports: [TestReport],
        evidence: LeaseEvidence,
        now: Milliseconds
    ) async throws -> CompletionReceipt
    /// Gives a lease back before its end; no attempt counts.
    func release(_ token: LeaseToken, now: Milliseconds) async throws -> FencedAnswer

    /// Ends leases for a reason, without a call of their workers, so that their tests run again;
    /// returns the number of ended leases.
    @discardableResult
    func takeBack(_ reason: LossReason, now: Milliseconds) async throws -> Int
    /// Gives every live lease, and every worker that lived at the coordinator's stop, `seconds`
    /// from now to call.
    ///
    /// Used after a restart of the coordinator whose workers went on; ends no lease.
    func extendLeases(seconds: Double, now: Milliseconds) async throws

    func progress(_ run: RunID, now: Milliseconds) async throws -> RunProgress
    func evidence(_ run: RunID) async throws -> (tests: [TestEvidence], leases: [LeaseEvidence])
    func leases(_ run: RunID) async throws -> [LeaseRecord]
    /// Returns the incidents of a whole run, oldest first: workers suspended, retries used up.
    func incidents(_ run: RunID) async throws -> [Problem]
    /// Ends a run and its live leases, and stores its result.
    ///
    /// Ending it again changes nothing.
    func close(_ run: RunID, judged: JudgedRun, now: Milliseconds) async throws
    /// Returns the result of a closed run, or `nil` if it has none.
    func judged(_ run: RunID) async throws -> JudgedRun?

    /// Returns the runs that `query` selects, newest first.
    func runs(_ query: RunQuery) async throws -> [RunRow]
    /// Returns the tests that are flaky in the newest runs, with their results.
    func flaky(_ question: FlakyQuestion) async throws -> FlakyTests
    /// Returns the clean runs in a row of quarantine entries, from the newest closed run of the
    /// pipeline that counted each.
    func cleanRuns(of pipeline: String, keys: Set<String>) async throws -> [String: Int]
    /// Returns at most `limit` workers; the one that called last comes first.
    func workers(limit: Int) async throws -> [WorkerRow]
    func counts(now: Milliseconds) async throws -> LedgerCounts
    /// Returns the run of a pipeline with this key, or `nil` if there is none.
    func run(key: String, of pipeline: String) async throws -> RunID?
    /// Returns the name of a run's pipeline, also of a run whose other data is damaged.
    func pipeline(of run: RunID) async throws -> String

    /// Returns the open work of each pipeline with open runs, by name.
    func loads() async throws -> [PipelineLoad]
    /// Returns the live leases, by worker.
    func liveLeases() async throws -> [LiveLease]
    /// Notes that a caller whose token has the patterns of `reach` has sent the bytes of a blob.
    func noteUpload(of digest: Digest, by reach: PipelineReach, now: Milliseconds) async throws
    /// Returns those of `digests` whose bytes callers with the patterns of `reach` have sent.
    func uploads(by reach: PipelineReach, among digests: [Digest]) async throws -> Set<Digest>
    /// Appends an entry to the audit log.
    func add(_ entry: AuditEntry) async throws
    /// Returns at most `limit` entries of the audit log, newest first.
    func auditLog(limit: Int) async throws -> [AuditEntry]

    /// Appends decisions in their order; all of them or none.
    ///
    /// A decision that repeats the last one of the same person about the same picture changes
    /// nothing. If a pipeline has more than `FarmLimits.decisionsMax`, the ledger drops comments
    /// and replaced decisions first, then the oldest.
    ///
    /// - Throws: `LedgerError.badDecision`.
    func add(_ decisions: [Decision]) async throws
    /// Returns the decisions about a pipeline's pictures after the one with `number`; 0 returns
    /// all.
    func decisions(of pipeline: String, after number: Int64) async throws -> DecisionList

    /// The durations of commits, each from the request of a change to its end.
    var commits: CommitTiming { get }
}

extension Ledger {
    /// Returns all decisions about a pipeline's pictures, in their order.
    package func decisions(of pipeline: String) async throws -> [Decision] {
        try await decisions(of: pipeline, after: 0).decisions
    }

    /// Returns the newest runs of all pipelines, newest first.
    package func runs(limit: Int) async throws -> [RunRow] {
        try await runs(RunQuery(limit: limit))
    }

    /// Leases test cases of any pipeline that fit the worker's offer.
    package func claim(
        worker: WorkerID,
        request: String,
        warm: CellID?,
        now: Milliseconds
    ) async throws -> Lease? {
        try await claim(worker: worker, request: request, warm: warm, reach: .everything, now: now)
    }

    /// Renews a lease that reports no reached tests.
    package func renew(
        _ token: LeaseToken,
        running: TestID?,
        started: [TestID] = [],
        now: Milliseconds
    ) async throws -> FencedAnswer {
        try await renew(token, running: running, started: started, reached: 0, now: now)
    }

    /// Completes a lease whose reports have all come before.
    package func complete(
        _ token: LeaseToken,
        evidence: LeaseEvidence,
        now: Milliseconds
    ) async throws -> CompletionReceipt {
        try await complete(token, reports: [], evidence: evidence, now: now)
    }

    /// Notes a worker's state; its offer stays unless it begins anew.
    package func registerWorker(
        _ worker: WorkerID,
        unfit: Problem?,
        beginsAnew: Bool,
        now: Milliseconds
    ) async throws {
        try await registerWorker(worker, unfit: unfit, offer: nil, beginsAnew: beginsAnew, now: now)
    }
}
