// The one durable truth: what was planned, leased, reported and judged. Nothing durable is kept
// in memory; a crash is a restart. Every call is one change, and may come twice;
// changes may share a commit (`GroupCommit`).
import FarmCore
import Foundation

/// A run to be opened.
package struct NewRun: Sendable {
    /// Chosen by the caller; the same key opens the same run.
    package var key: String
    package var facts: RunFacts
    package var plan: Plan
    /// Of the plan's shape; nil where nothing is known.
    package var costs: PlanCosts?
    /// Runs with a higher one are served first.
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

/// A run as the ledger keeps it.
package struct RunRecord: Sendable {
    package var id: RunID
    package var key: String
    package var facts: RunFacts
    package var plan: Plan
    package var state: RunState
    /// Milliseconds since 1970.
    package var startedAt: Int64
}

/// An open run of which something was written down that nobody can work with.
package struct DamagedRun: Sendable {
    package var id: RunID
    /// As far as they can be read.
    package var facts: RunFacts
    /// Milliseconds since 1970.
    package var startedAt: Int64
    package var reason: Problem
}

/// One lease as the ledger keeps it: for timelines, and for proofs that jobs ran side by side.
package struct LeaseRecord: Sendable, Hashable, Codable {
    package var epoch: Int64
    package var worker: WorkerID
    package var job: JobName
    package var cell: CellID
    package var state: String
    /// Milliseconds since 1970.
    package var granted: Int64
    package var ended: Int64?
}

/// What became of reports.
package struct ReportReceipt: Sendable, Hashable {
    /// One for each report, in order.
    package var answers: [FencedAnswer]
    /// Parked workers may have something to do: a test case waits again, or a worker may go on.
    package var requeued: Bool

    package init(answers: [FencedAnswer], requeued: Bool) {
        self.answers = answers
        self.requeued = requeued
    }
}

/// What became of a lease that its worker says is done.
package struct CompletionReceipt: Sendable, Hashable {
    package var answer: FencedAnswer
    /// One for each report that came with it, in order.
    package var answers: [FencedAnswer]
    /// The run may have ended: of its leases none is known to be live.
    package var mayEndRun: Bool
    /// Parked workers may have something to do: some test case of an open run waits.
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

/// Why leases end without their workers' word, and which.
package enum LossReason: Sendable, Hashable {
    /// Those past their deadline; the test that ran counts an attempt.
    case expired
    /// Those past their deadline after a pause of the coordinator itself; nothing counts.
    case stalled
    /// That of a worker that is gone; the test that ran counts an attempt.
    case lost(WorkerID)
    /// All, after a restart of the coordinator; nothing counts.
    case restart
}

/// Decisions in the order they were made.
package struct DecisionList: Sendable, Hashable {
    package var decisions: [Decision]
    /// The number of the last one, also where it was asked for what comes after it: it grows with
    /// each decision, and is 0 before the first.
    package var newest: Int64

    package init(decisions: [Decision], newest: Int64) {
        self.decisions = decisions
        self.newest = newest
    }
}

/// Milliseconds since 1970; the ledger never reads a clock itself.
package typealias Milliseconds = Int64

/// What the coordinator may ask of its durable truth.
package protocol Ledger: Sendable {
    /// Writes a run and all its test cases down, or returns the run that has this key.
    func openRun(_ run: NewRun, now: Milliseconds) async throws -> RunID
    func run(_ id: RunID) async throws -> RunRecord
    /// Runs that have not ended, oldest first.
    func openRuns() async throws -> [RunID]
    /// Open runs that cannot be read: until they are closed, claims stumble over them.
    func damagedRuns() async throws -> [DamagedRun]
    /// Open runs whose test cases all have a verdict and whose leases have all ended.
    func finishedRuns() async throws -> [RunID]
    /// Open runs that were opened before a moment, and of which nobody has or took or ended a lease
    /// since; that they are given up is noted.
    func abandonedRuns(since: Milliseconds, now: Milliseconds) async throws -> [RunID]
    /// The newest run of a plan that has not ended.
    func openRun(planDigest: String) async throws -> RunID?

    /// Notes that a worker lives.
    func hello(_ worker: WorkerID, now: Milliseconds) async throws
    /// Notes what a worker says of itself: why it cannot work, what it offers, or that it began anew
    /// and is as a new one.
    ///
    /// Without an `offer`, what it offered stays, unless it begins anew.
    func registerWorker(
        _ worker: WorkerID,
        unfit: Problem?,
        offer: WorkerOffer?,
        beginsAnew: Bool,
        now: Milliseconds
    ) async throws
    /// Notes on which host a worker works; one that never says it has a host of its own.
    func setHost(_ worker: WorkerID, on host: String, now: Milliseconds) async throws
    /// Why a worker gets no work now, whatever waits; nil: it may.
    func obstacle(to worker: WorkerID, now: Milliseconds) async throws -> Problem?
    /// Leases work that the worker's offer fits; nil when there is none for it, or when it has a
    /// lease. The same `request` gets the same lease again.
    func claim(
        worker: WorkerID,
        request: String,
        warm: CellID?,
        now: Milliseconds
    ) async throws -> Lease?
    /// Trims the leases of test cases that take too long to those, while a worker has nothing to do;
    /// returns the test cases.
    func trimStragglers(now: Milliseconds) async throws -> [TestKey]
    /// Extends a lease by `FarmLimits.leaseSeconds`, and notes the test that runs.
    ///
    /// `started` are tests that the lease has started beside the one that runs, and has no report of:
    /// its own, whatever becomes of it. A lease that starts tests is not late, as one that reports.
    /// `reached` are the tests of the lease without a report that its programs have come to, as far
    /// as anybody can tell: they show in the progress, and nothing follows from them.
    func renew(
        _ token: LeaseToken,
        running: TestID?,
        started: [TestID],
        reached: Int,
        now: Milliseconds
    ) async throws -> FencedAnswer
    /// Keeps reports, and decides for each test case whether it is done or runs again.
    func report(
        _ token: LeaseToken,
        _ reports: [TestReport],
        now: Milliseconds
    ) async throws -> ReportReceipt
    /// Keeps a lease's last reports as `report` does, then ends it, in one change. Test cases it did
    /// not report count an attempt.
    func complete(
        _ token: LeaseToken,
        reports: [TestReport],
        evidence: LeaseEvidence,
        now: Milliseconds
    ) async throws -> CompletionReceipt
    /// Gives a lease back; nothing counts as an attempt.
    func release(_ token: LeaseToken, now: Milliseconds) async throws -> FencedAnswer

    /// Ends leases without their workers' word, so that their tests run again; returns how many.
    @discardableResult
    func takeBack(_ reason: LossReason, now: Milliseconds) async throws -> Int
    /// After a restart of the coordinator whose workers went on: every live lease, and every worker
    /// that lived when it stopped, has `seconds` from now to be heard of. Nothing is taken back.
    func extendLeases(seconds: Double, now: Milliseconds) async throws

    func progress(_ run: RunID, now: Milliseconds) async throws -> RunProgress
    func evidence(_ run: RunID) async throws -> (tests: [TestEvidence], leases: [LeaseEvidence])
    func leases(_ run: RunID) async throws -> [LeaseRecord]
    /// What happened to a run as a whole, oldest first: workers suspended, retries used up.
    func incidents(_ run: RunID) async throws -> [Problem]
    /// Ends a run and the leases it still has; its summary is kept. Ending it again changes nothing.
    func close(_ run: RunID, judged: JudgedRun, now: Milliseconds) async throws
    /// The result of a closed run.
    func judged(_ run: RunID) async throws -> JudgedRun?

    /// The newest runs first.
    func runs(_ query: RunQuery) async throws -> [RunRow]
    /// Tests that are flaky in the newest runs, with what they did.
    func flaky(_ question: FlakyQuestion) async throws -> FlakyTests
    /// Those seen last first.
    func workers(limit: Int) async throws -> [WorkerRow]
    func counts(now: Milliseconds) async throws -> LedgerCounts
    /// The run of a key; nil where there is none.
    func run(key: String) async throws -> RunID?

    /// Keeps decisions behind all others, in their order; all of them or none.
    ///
    /// One that says of its picture what its person said last changes nothing, as one that comes
    /// twice. Of a pipeline with more than `FarmLimits.decisionsMax` the oldest leave, and before
    /// those that stand the comments and what newer decisions have replaced.
    /// - Throws: `LedgerError.badDecision`.
    func add(_ decisions: [Decision]) async throws
    /// What was decided about a pipeline's pictures after the decision of a number, 0 before the
    /// first.
    func decisions(of pipeline: String, after number: Int64) async throws -> DecisionList

    /// From asking for a change to its end.
    var commits: CommitTiming { get }
}

extension Ledger {
    /// All that is kept of a pipeline, in the order it was decided.
    package func decisions(of pipeline: String) async throws -> [Decision] {
        try await decisions(of: pipeline, after: 0).decisions
    }

    /// The newest runs of all, the newest first.
    package func runs(limit: Int) async throws -> [RunRow] {
        try await runs(RunQuery(limit: limit))
    }

    /// The same for a lease of which nobody says what it has started or reached.
    package func renew(
        _ token: LeaseToken,
        running: TestID?,
        started: [TestID] = [],
        now: Milliseconds
    ) async throws -> FencedAnswer {
        try await renew(token, running: running, started: started, reached: 0, now: now)
    }

    /// The same for a lease whose reports have all come before.
    package func complete(
        _ token: LeaseToken,
        evidence: LeaseEvidence,
        now: Milliseconds
    ) async throws -> CompletionReceipt {
        try await complete(token, reports: [], evidence: evidence, now: now)
    }

    /// The same for a worker that says nothing of what it offers.
    package func registerWorker(
        _ worker: WorkerID,
        unfit: Problem?,
        beginsAnew: Bool,
        now: Milliseconds
    ) async throws {
        try await registerWorker(worker, unfit: unfit, offer: nil, beginsAnew: beginsAnew, now: now)
    }
}
