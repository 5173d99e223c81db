// The coordinator: each call is one ledger transaction around one pure rule. It owns the ledger,
// the reference store and the blobs, and keeps nothing in memory that it may not lose.
import FarmAPI
import FarmArtifacts
import FarmCore
import FarmLedger
import FarmReferences
import Foundation
import Logging
import Synchronization

/// Returns the reference store of a plan with everything that the plan's pin names, or `nil` if the
/// plan needs no store.
///
/// It is called on a thread that may wait for disks and networks.
package typealias StoreProvider = @Sendable (Plan) throws -> ReferenceStore?

/// The coordinator of runs, without its HTTP.
package final class Coordinator: Sendable {
    package let blobs: any BlobKeeping
    let isStored: (@Sendable (Digest) -> Bool)?
    private let driverMistakes: @Sendable (DriverSettings) -> [String]
    let ledger: any Ledger
    let stores: StoreProvider
    let threads = StoreThreads()
    let logger: Logger
    let clock: @Sendable () -> Milliseconds
    let work = WakeSignal()
    let endSignal = WakeSignal()
    /// Signals that a run may have ended and is to be judged.
    let lastReports = WakeSignal()
    let reencode: Reencoding.Encoder
    let isAlike: TakeComparer
    let hooks: CoordinatorHooks
    /// The present failures of the coordinator's disk, bucket or database.
    package let faults: StorageFaults
    /// The launchers' counts, and their notes on runs.
    package let launches = LaunchBoard()
    /// A cache of references by run and cell; a run's pin never changes, so each cell is read once.
    private let references = Mutex(
        BoundedCache<RunID, [CellID: CellReferences]>(max: referencesMax)
    )
    /// A cache of the pipelines of runs, which never change.
    let pipelines = Mutex(BoundedCache<RunID, String>(max: pipelinesMax))
    /// A cache of the blobs that ended runs name.
    let named = Mutex(BoundedCache<RunID, Set<Digest>>(max: namedBlobsMax))
    /// The bytes that the runs of each team with a limit of bytes kept after the last retention.
    package let keptBytes = Mutex<[String: Int]>([:])
    /// Opens the runs of one team one after the other, so that none passes its quota.
    let admissions = SerialQueues<String>()
    let endings = Mutex(RunEndings())
    let unjudged = Mutex(UnjudgedRuns())
    /// The most seconds that a cancel waits for its run's judgement.
    let judgeSeconds: Double
    /// The newest claim of each worker that waits for work.
    let claimCalls = Mutex(ClaimCalls())
    /// Whether the coordinator stops, so that parked calls are answered at once.
    private let stopping = Mutex(false)
    /// The run that was closed last with its result, because callers that waited for the run ask
    /// for it at once.
    let newest = Mutex<(run: RunID, judged: JudgedRun)?>(nil)
    /// The seconds that a run may wait for a worker, or `nil` for no limit.
    private let silenceSeconds: Double?
    /// The times when this coordinator began and when it last looked for abandoned runs.
    private let looked: Mutex<(first: Milliseconds, last: Milliseconds)>
    private let pauses = Mutex(StallDetector())

    /// Makes a coordinator whose runs share one store.
    ///
    /// `store` is `nil` for a pipeline without references. `clock` returns milliseconds since 1970.
    /// `reencode` makes a picture's file smaller, for plans that ask for it. `driverMistakes`
    /// returns the mistakes in a driver's settings (see ``PlanMistakes``).
    package convenience init(
        ledger: any Ledger,
        store: ReferenceStore?,
        blobs: any BlobKeeping,
        driverMistakes: @escaping @Sendable (DriverSettings) -> [String],
        logger: Logger,
        isAlike: @escaping TakeComparer = { _, _, _ in false },
        reencode: @escaping Reencoding.Encoder,
        clock: @escaping @Sendable () -> Milliseconds
    ) {
        self.init(
            ledger: ledger,
            stores: { _ in store },
            blobs: blobs,
            driverMistakes: driverMistakes,
            logger: logger,
            isAlike: isAlike,
            reencode: reencode,
            clock: clock
        )
    }

    /// Makes a coordinator whose runs have different stores.
    ///
    /// With `silenceSeconds`, gives up runs that wait so long for a worker. Reports may name blobs
    /// that are `isStored`, or with `nil` those in `blobs`. A cancel waits `judgeSeconds` for a
    /// judgement.
    package init(
        ledger: any Ledger,
        stores: @escaping StoreProvider,
        blobs: any BlobKeeping,
        isStored: (@Sendable (Digest) -> Bool)? = nil,
        driverMistakes: @escaping @Sendable (DriverSettings) -> [String],
        logger: Logger,
        silenceSeconds: Double? = nil,
        judgeSeconds: Double = FarmLimits.judgeSecondsMax,
        hooks: CoordinatorHooks = CoordinatorHooks(),
        isAlike: @escaping TakeComparer = { _, _, _ in false },
        reencode: @escaping Reencoding.Encoder,
        clock: @escaping @Sendable () -> Milliseconds
    ) {
        self.ledger = ledger
        self.stores = stores
        self.blobs = blobs
        self.isStored = isStored
        self.driverMistakes = driverMistakes
        self.logger = logger
        self.isAlike = isAlike
        self.reencode = reencode
        self.clock = clock
        faults = StorageFaults(clock: clock)
        self.silenceSeconds = silenceSeconds
        self.judgeSeconds = judgeSeconds
        self.hooks = hooks
        let now = clock()
        looked = Mutex((first: now, last: now))
    }

    // MARK: runs

    /// Opens a run, or returns the run that has this key already.
    ///
    /// - Throws: ``PlanMistakes`` and ``SubmissionError`` for a request that no coordinator can run
    ///   or judge, before anything is written.
    package func submit(_ request: SubmitRequest) async throws -> RunID {
        try check(request)
        let id = try await ledger.openRun(
            NewRun(
                key: request.key,
                facts: request.facts,
                plan: request.plan,
                costs: request.costs,
                priority: request.priority ?? 0
            ),
            now: clock()
        )
        work.notify()
        return id
    }

    /// Returns a run's progress: at once if it has ended, else at the next end of a run or after
    /// `waitSeconds`.
    package func progress(_ run: RunID, waitSeconds: Double = 0) async throws -> RunProgress {
        let seen = endSignal.count
        let progress = try await ledger.progress(run, now: clock())
        let wait = min(max(0, waitSeconds), FarmLimits.claimWaitSeconds)
        guard progress.state == .running, wait > 0, !isStopping else {
            return try await explained(progress, of: run)
        }
        await endSignal.wait(after: seen, seconds: wait)
        return try await explained(try await ledger.progress(run, now: clock()), of: run)
    }

    /// Checks that a request's plan, costs and priority can neither trap nor be misread later.
    ///
    /// - Throws: ``PlanMistakes`` or ``SubmissionError``.
    func check(_ request: SubmitRequest) throws {
        if let mistakes = PlanMistakes(request.plan, driverMistakes: driverMistakes) {
            throw mistakes
        }
        guard request.costs?.fits(request.plan) ?? true else { throw SubmissionError.costs }
        guard FarmLimits.priorities.contains(request.priority ?? 0) else {
            throw SubmissionError.priority
        }
    }

    /// Returns a closed run's result, or `nil` if it has none.
    package func judged(_ run: RunID) async throws -> JudgedRun? {
        if let newest = newest.withLock({ $0 }), newest.run == run { return newest.judged }
        return try await ledger.judged(run)
    }

    /// Ends a run as it is: test cases without a verdict get none.
    ///
    /// A run whose judgement hangs ends as `unjudgeable`.
    package func cancel(_ run: RunID) async throws {
        try await close(run, cancelled: true)
        work.notify()
    }

    /// Ends a run as it is, for a caller that the audit log names.
    package func cancel(_ run: RunID, by who: String) async throws {
        let pipeline = try await ledger.pipeline(of: run)
        try await cancel(run)
        try await note(.cancelled, by: who, pipeline: pipeline, subject: run.text)
    }

    /// Returns the newest open run of a plan for `--resume`, or `nil` if there is none.
    package func openRun(planDigest: String) async throws -> RunID? {
        try await ledger.openRun(planDigest: planDigest)
    }

    package func openRuns() async throws -> [RunID] { try await ledger.openRuns() }

    /// Whether ``stopWaiting()`` was called.
    package var isStopping: Bool { stopping.withLock { $0 } }

    /// Answers every parked call now, and lets later calls not wait.
    package func stopWaiting() {
        stopping.withLock { $0 = true }
        work.notify()
        endSignal.notify()
        lastReports.notify()
    }

    /// Recovers from a restart after which no worker is left: takes back every lease at once and
    /// counts no attempt.
    package func recover() async throws {
        try await closeDamagedRuns()
        try await ledger.takeBack(.restart, now: clock())
    }

    /// Recovers from a restart that the workers outlived: they keep their leases for at least
    /// `grace` seconds, at most the length of a lease.
    package func recover(grace: Double) async throws {
        let seconds = min(max(0, grace), FarmLimits.leaseSeconds)
        newest.withLock { $0 = nil }
        references.withLock { $0.removeAll() }
        pauses.withLock { $0 = StallDetector() }
        looked.withLock { $0 = (first: clock(), last: clock()) }
        try await closeDamagedRuns()
        try await ledger.extendLeases(seconds: seconds, now: clock())
        work.notify()
        lastReports.notify()
    }

    // MARK: time

    /// Does the timer's work: takes back leases past their deadline, and offers tests behind a slow
    /// test to idle workers.
    ///
    /// It never waits for a store: the delay would look like a pause of the whole process.
    package func sweep() async throws {
        // A coordinator that does not lead notes the time, so that it does not seem to have stood
        // still.
        guard hooks.leads() else { return pauses.withLock { _ = $0.isPause(before: clock()) } }
        let taken = try await takeBackExpired()
        let stragglers = try await ledger.trimStragglers(now: clock())
        for test in stragglers {
            logger.notice("\(test) takes far too long: others get the rest of its lease")
        }
        if taken > 0 || !stragglers.isEmpty { work.notify() }
    }

    /// Takes back leases past their deadline; after a pause of this coordinator, no attempt counts.
    private func takeBackExpired() async throws -> Int {
        let now = clock()
        guard pauses.withLock({ $0.isPause(before: now) }) else {
            let taken = try await ledger.takeBack(.expired, now: now)
            if taken > 0 { logger.warning("\(taken) leases expired and were taken back") }
            return taken
        }
        let taken = try await ledger.takeBack(.stalled, now: now)
        logger.warning(
            "this coordinator stood still: \(taken) leases were taken back, and count no attempt"
        )
        return taken
    }

    /// Returns the open runs that had no lease for `silenceSeconds`; the time counts anew after a
    /// start of the coordinator.
    func abandonedRuns() async throws -> [RunID] {
        guard let silence = silenceSeconds.map({ Int64($0 * 1000) }) else { return [] }
        let now = clock()
        let isDue = looked.withLock { looked in
            guard now - looked.last >= min(silence / 4, Self.abandonedMilliseconds) else {
                return false
            }
            looked.last = now
            return now - looked.first >= silence
        }
        return isDue ? try await ledger.abandonedRuns(since: now - silence, now: now) : []
    }

    /// The most milliseconds between two looks for abandoned runs.
    private static let abandonedMilliseconds: Int64 = 60_000

    // MARK: references

    /// Returns the references of a cell at the run's pin.
    package func references(_ run: RunID, _ cell: CellID) async throws -> CellReferences {
        if let known = references.withLock({ $0[run]?[cell] }) { return known }
        let plan = try await ledger.run(run).plan
        guard plan.jobs.contains(where: { $0.job.cells.contains { $0.id == cell } }) else {
            throw CoordinatorError.noCell(run, cell)
        }
        let found = try await withStore(of: plan) { store in
            try store?.references(of: cell, for: plan) ?? CellReferences()
        }
        references.withLock { references in
            var cells = references[run] ?? [:]
            cells[cell] = found
            references[run] = cells
        }
        return found
    }

    /// The number of runs whose references are cached.
    private static let referencesMax = 64

    func forgetReferences(of run: RunID) { references.withLock { $0[run] = nil } }

    /// Returns the bytes of a picture that is a reference of the run.
    package func picture(_ run: RunID, _ object: ObjectID) async throws -> Data {
        try await withStore(of: try await ledger.run(run).plan) { store in
            guard let store else { throw CoordinatorError.noStore }
            return try store.read(object)
        }
    }

    // MARK: the end of a run

    func judge(
        _ id: RunID,
        cancelled: Bool,
        records: Bool
    ) async throws -> JudgedRun {
        let run = try await ledger.run(id)
        let evidence = try await evidence(run, cancelled: cancelled)
        var judged = try await threads.run(in: .judging) { RunJudge.judge(evidence) }
        // A share records nothing: `merge` records the pictures of all shares.
        if records, run.plan.mode == .record, run.plan.share == nil,
            judged.summary.counts.withoutVerdict == 0, try await isOpen(id)
        {
            judged.recording = try await withStore(of: run.plan) { [self] store in
                try record(evidence, to: store)
            }
        }
        return judged
    }

    /// Returns the share of a run's plan that this machine runs, or `nil` if it runs the whole
    /// plan.
    package func share(of run: RunID) async throws -> PlanShare? {
        try await ledger.run(run).plan.share
    }

    /// Returns the evidence for a run's judgement, as far as it is known now.
    package func evidence(_ run: RunID, cancelled: Bool) async throws -> RunEvidence {
        try await evidence(try await ledger.run(run), cancelled: cancelled)
    }

    private func evidence(_ run: RunRecord, cancelled: Bool) async throws -> RunEvidence {
        // Reads the store first: it may hang, and nothing large is in memory yet.
        var cells: [CellID: CellReferences] = [:]
        for planned in run.plan.jobs where planned.job.kind == .snapshot {
            for cell in planned.job.cells where cells[cell.id] == nil {
                cells[cell.id] = try await references(run.id, cell.id)
            }
        }
        let (tests, leases) = try await ledger.evidence(run.id)
        var facts = run.facts
        facts.finished = ISO8601.text(clock())
        let evidence = RunEvidence(
            facts: facts,
            plan: run.plan,
            tests: tests,
            leases: leases,
            references: cells,
            cancelled: cancelled,
            startedAt: run.startedAt,
            incidents: try await ledger.incidents(run.id)
        )
        return try await comparingTakes(of: evidence)
    }
}
