// The coordinator for many machines: admits runs of other machines, limits what a worker may read,
// lists runs and workers.
import FarmAPI
import FarmArtifacts
import FarmCore
import FarmLedger
import FarmReferences
import Foundation
import Logging

extension Coordinator {
    // MARK: submission

    /// Opens a run that another machine planned, or returns the run that has its key already.
    ///
    /// The coordinator sets the run's id and times itself; `id` is used if the key is new. The name
    /// of the caller replaces what the request says.
    ///
    /// - Throws: ``SubmissionError`` for a plan that cannot run here, and `AccessRefusal.pipeline`
    ///   for a pipeline that the caller does not reach, before anything is written.
    package func admit(
        _ request: SubmitRequest,
        id: RunID,
        by grant: AccessGrant
    ) async throws -> RunID {
        let pipeline = request.plan.pipeline
        guard grant.reach.reaches(pipeline) else {
            throw AccessRefusal.pipeline(
                name: grant.name,
                pipeline: pipeline,
                reaches: grant.reach.words
            )
        }
        guard FleetNames.isUsable(request.key) else { throw SubmissionError.key }
        guard request.facts.areShort else { throw SubmissionError.facts }
        try check(request)
        if let earlier = request.redOf?.run { try await check(grant.reach, of: earlier) }
        var request = try await inheriting(request)
        let digest = request.plan.digest.description
        if request.resumes == true, let open = try await openRun(planDigest: digest) {
            return open
        }
        if let known = try await ledger.run(key: request.key, of: pipeline) {
            return try await join(known, planDigest: digest, key: request.key)
        }
        try await checkQuota(of: request.plan)
        for planned in request.plan.jobs { try await checkBundle(of: planned, by: grant) }
        request.plan.drawn = try await checkStore(request.plan)
        request.facts.id = id.text
        request.facts.key = request.key
        request.facts.planDigest = digest
        request.facts.pipeline = request.plan.pipeline
        request.facts.mode = request.plan.mode
        request.facts.filtered = request.plan.filtered
        request.facts.shard = request.plan.share?.place.description
        request.facts.part = request.plan.part?.name
        request.facts.started = ISO8601.text(clock())
        request.facts.finished = ""
        request.facts.startedBy = grant.who
        request.plan.lost = try await lost(from: request.plan, request.facts, .allMachines)
        request.plan.cleanRuns = try await cleanRuns(before: request.plan, .allMachines)
        let opened = request
        let team = hooks.teams().team(of: pipeline).name
        let run = try await admissions.run(team) {
            try await self.checkQuota(of: opened.plan)
            return try await self.submit(opened)
        }
        // Another call with the same key was quicker.
        guard run == id else { return try await join(run, planDigest: digest, key: request.key) }
        logger.info("run submitted", metadata: ["run": "\(run)", "pipeline": "\(pipeline)"])
        try await note(.submitted, by: grant.who, pipeline: pipeline, subject: run.text)
        return run
    }

    private func join(_ run: RunID, planDigest: String, key: String) async throws -> RunID {
        let known = try await ledger.run(run)
        guard known.facts.planDigest == planDigest else {
            throw SubmissionError.otherPlan(run, key: key)
        }
        return run
    }

    private func checkBundle(of planned: PlannedJob, by grant: AccessGrant) async throws {
        guard let digest = BundleRules.bundle(of: planned.prepared) else {
            throw SubmissionError.noBundle(planned.job.name)
        }
        guard try await hasSent([digest], grant), try await blobs.renewedSize(of: digest) != nil
        else {
            throw SubmissionError.bundleMissing(planned.job.name, digest)
        }
    }

    /// Checks that the store has the plan's references, and returns what drew them.
    private func checkStore(_ plan: Plan) async throws -> [DrawnReferences]? {
        let jobs = plan.jobs.map(\.job).filter { $0.kind == .snapshot }
        guard !jobs.isEmpty else { return nil }
        return try await withStore(of: plan) { store in
            guard let store else { throw SubmissionError.noStore(pipeline: plan.pipeline) }
            guard plan.mode == .verify else { return nil }
            // The store may be open since an earlier run. A picture that vanished since would end
            // every worker that asks for it.
            try store.checkPictures(plan.pin, cells: Set(jobs.flatMap(\.cells).map(\.id)))
            return try plan.drawnReferences { try store.suiteRecords(plan.pin, cell: $0) }
        }
    }

    // MARK: what callers may read

    /// Returns whether a worker may read a picture of a run: a reference of the open run's cells,
    /// or of their predecessors.
    ///
    /// A worker needs no other pictures.
    package func mayRead(_ object: ObjectID, of run: RunID) async throws -> Bool {
        let record = try await ledger.run(run)
        guard record.state == .running else { return false }
        for planned in record.plan.jobs where planned.job.kind == .snapshot {
            for cell in planned.job.cells {
                let known = try await references(run, cell.id)
                let own = known.references.lazy.map(\.objectID)
                let older = known.predecessors?.references.lazy.map(\.objectID)
                if own.contains(object) || older?.contains(object) == true { return true }
            }
        }
        return false
    }

    /// Returns whether a blob is the bundle of an open run.
    package func isOpenBundle(_ digest: Digest) async throws -> Bool {
        for run in try await ledger.openRuns() {
            // Skips a run that cannot be read, so that it does not hide the bundles of others.
            let plan = try await readable { try await ledger.run(run).plan }
            guard let plan else { continue }
            if plan.bundles.contains(digest) { return true }
        }
        return false
    }

    /// Returns a run as the ledger stores it.
    package func record(of run: RunID) async throws -> RunRecord { try await ledger.run(run) }

    /// Returns the reasons why a run has not ended, the most important first.
    package func whyOpen(_ run: RunID, _ progress: RunProgress) async throws -> [WaitReason] {
        let situation = RunSituation(
            of: run,
            progress: progress,
            workers: try await workers(limit: FarmLimits.listMax),
            runs: try await runs(limit: FarmLimits.listMax)
        )
        return WaitReasons.of(situation)
    }

    /// Returns the plan of a run.
    package func plan(_ run: RunID) async throws -> Plan { try await ledger.run(run).plan }

    /// Returns whether a run is open, even if the ledger can read nothing else of the run.
    package func isOpen(_ run: RunID) async throws -> Bool {
        let known = try await readable { try await ledger.run(run) }
        if let known { return known.state == .running }
        return try await ledger.openRuns().contains(run)
    }

    /// Returns the result of `read`, or `nil` if rows of the ledger are damaged.
    private func readable<Value: Sendable>(
        _ read: () async throws -> Value
    ) async throws -> Value? {
        do {
            return try await read()
        } catch LedgerError.damaged {
            return nil
        }
    }

    // MARK: lists

    /// Returns at most `limit` runs of pipelines in `reach`, the newest first.
    package func runs(
        limit: Int,
        reach: PipelineReach = .everything
    ) async throws -> [RunListing] {
        try await rows(RunQuery(limit: limit, reach: reach)).map { RunListing($0) }
    }

    /// Returns the runs that `query` selects, with the problem of each run that could not be
    /// judged.
    package func rows(_ query: RunQuery) async throws -> [RunRow] {
        try await ledger.runs(query).map { row in
            var row = row
            row.problem = row.problem ?? whyNotJudged(row.id)
            return row
        }
    }

    /// Returns the tests that are flaky in the newest runs of pipelines in `reach`, with their
    /// attempts.
    package func flaky(
        pipeline: String?,
        runs: Int,
        reach: PipelineReach = .everything
    ) async throws -> FlakyTests {
        try await ledger.flaky(FlakyQuestion(pipeline: pipeline, runs: runs, reach: reach))
    }

    /// Returns at most `limit` workers; the one that called last comes first.
    package func workers(limit: Int) async throws -> [WorkerListing] {
        let now = clock()
        let silent = Int64(FarmLimits.leaseSeconds * 1000)
        return try await ledger.workers(limit: limit).map { row in
            WorkerListing(
                worker: row.id,
                state: Self.liveness(of: row, isSilent: now - row.seen > silent),
                leases: row.leases,
                seen: ISO8601.text(row.seen),
                offer: row.offer,
                problem: row.unfit
            )
        }
    }

    static func liveness(of row: WorkerRow, isSilent: Bool) -> WorkerLiveness {
        if row.unfit?.code == Problem.workerLeftCode { return .left }
        if row.isLost { return .lost }
        if isSilent { return .silent }
        return row.unfit == nil ? .live : .unfit
    }

    /// Answers every parked call at once, because another coordinator leads now.
    package func answerWaiting() {
        work.notify()
        endSignal.notify()
    }

    /// Runs `work` with the reference store of a plan, on a thread that may block.
    package func withStore<Value: Sendable>(
        of plan: Plan,
        _ work: @escaping @Sendable (ReferenceStore?) throws -> Value
    ) async throws -> Value {
        let stores = stores
        return try await threads.run(in: .store(plan.pipeline)) { try work(try stores(plan)) }
    }

    /// Runs `work`, which reads a pipeline's store or pictures for people, on threads that delay no
    /// worker.
    package func forPages<Value: Sendable>(
        of pipeline: String,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await threads.run(in: .pages(pipeline), work)
    }

    /// Returns the counts of runs, leases, waiting test cases and workers, for monitors.
    package func counts() async throws -> LedgerCounts {
        try await ledger.counts(now: clock())
    }

    /// The durations of the ledger's commits.
    package var commits: CommitTiming { ledger.commits }
}

/// The reason why the coordinator refuses a submitted run.
package enum SubmissionError: ExplainedError, Hashable {
    case key
    case facts
    case costs
    case priority
    case otherPlan(RunID, key: String)
    case noBundle(JobName)
    case bundleMissing(JobName, Digest)
    case noStore(pipeline: String)

    package var code: String {
        switch self {
        case .key: "run-key"
        case .facts: "run-facts"
        case .costs: "run-costs"
        case .priority: "run-priority"
        case .otherPlan: "run-key-taken"
        case .noBundle, .bundleMissing: "bundle-missing"
        case .noStore: "store-unknown"
        }
    }
    package var message: String {
        switch self {
        case .key:
            "the run's key is not one line of at most \(FleetNames.bytesMax) bytes."
        case .facts:
            "what is said of the run (commit, branch, pull request, pin, page) is no line of at "
                + "most \(FarmLimits.factBytesMax) bytes."
        case .costs: "the expected times are not those of the plan's test cases."
        case .priority:
            "the priority is not from \(FarmLimits.priorities.lowerBound) to "
                + "\(FarmLimits.priorities.upperBound)."
        case .otherPlan(let run, let key):
            "the key \(key) belongs to run \(run), which has another plan."
        case .noBundle(let job): "job \(job) came without a bundle."
        case .bundleMissing(let job, let digest):
            "the bundle \(digest) of job \(job) is not on the coordinator."
        case .noStore(let pipeline):
            "this coordinator has no reference store for the pipeline \(pipeline)."
        }
    }
    package var remedy: String {
        switch self {
        case .key: "Choose another with --key."
        case .costs: "Submit with the same version of snapfarm, or without --history."
        case .facts: "Submit with the same version of snapfarm."
        case .priority: "Choose another with --priority."
        case .otherPlan:
            "Choose another key with --key; jobs that share a run need the same pipeline, tests, "
                + "mode and pin."
        case .noBundle, .bundleMissing: "Submit with the same version of snapfarm."
        case .noStore(let pipeline):
            "Add it to the coordinator's configuration: `stores: {\(pipeline): URL-OR-PATH}`."
        }
    }
    package var exit: ExitCode {
        switch self {
        case .key, .priority: .usage
        case .facts, .costs, .otherPlan, .noBundle, .bundleMissing: .invalidInput
        case .noStore: .configuration
        }
    }
}

extension RunListing {
    /// Makes the listing of a run from its row in the ledger.
    package init(_ row: RunRow) {
        self.init(
            run: row.id,
            pipeline: row.facts.pipeline,
            key: row.facts.key,
            mode: row.facts.mode,
            state: row.state,
            commit: row.facts.commit,
            branch: row.facts.branch,
            started: ISO8601.text(row.started),
            ended: row.ended.map { ISO8601.text($0) },
            planned: row.planned,
            done: row.done,
            bad: row.bad,
            priority: row.priority,
            team: row.team,
            leases: row.leases,
            problem: row.problem
        )
    }
}
