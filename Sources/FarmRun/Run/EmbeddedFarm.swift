// The workers, progress and signals of a local run, while its embedded coordinator serves.
import FarmAPI
import FarmCore
import FarmDrivers
import FarmServer
import Foundation
import UnixSignals

/// The outcome of a run: its judgement, and the reason why it ended.
struct RunOutcome: Sendable {
    enum Ending: Sendable {
        case judged
        /// A signal stopped the run, Ctrl-C or SIGTERM; the run stays open in the ledger.
        case stopped(ExitCode)
        /// The run was given up: the workers died or left, nothing could be planned, or this
        /// machine cannot finish or judge the run.
        case gaveUp
    }
    var judged: JudgedRun
    var ending: Ending
    /// The evidence for `snapfarm merge` or `snapfarm judge`; `nil` for a record run, and for a run
    /// that never began or is on a coordinator elsewhere.
    var evidence: RunEvidence?

    /// Returns the outcome of a run that never began.
    static func failed(
        _ problem: Problem,
        _ prepared: PreparedRun,
        _ request: RunRequest
    ) -> RunOutcome {
        let now = ISO8601.text(Int64(Date().timeIntervalSince1970 * 1000))
        var facts = prepared.facts(of: nil, mode: request.mode)
        facts.key = prepared.ci?.runKey ?? ""
        facts.started = now
        facts.finished = now
        let place = MachineShare.place(
            request.shard,
            selects: !prepared.selection.isEmpty,
            request.environment
        )
        facts.shard = place?.description
        let summary = RunSummary(
            run: facts,
            state: .incomplete,
            exitCode: ExitCode.incomplete.rawValue,
            counts: VerdictCounts(),
            comparisons: ComparisonCounts(),
            cells: [],
            tests: [],
            snapshots: [],
            artifacts: [],
            problems: [problem]
        )
        return RunOutcome(judged: JudgedRun(summary: summary, pictures: [:]), ending: .gaveUp)
    }
}

struct EmbeddedFarm: Sendable {
    let request: RunRequest
    var prepared: PreparedRun
    let coordinator: Coordinator
    let client: CoordinatorClient
    let workers: WorkerPool
    /// The exit codes of Ctrl-C and SIGTERM: the stream yields that of the first signal.
    let stops: AsyncStream<ExitCode>

    private enum Event: Sendable {
        case closed
        case workersLeft
        case signal(ExitCode)
        case gaveUp(any ExplainedError)
    }

    /// Submits the plan, starts the workers, and follows the run to its end.
    ///
    /// Calls `ended` once, as soon as the outcome is final. Workers may still be leaving.
    ///
    /// - Throws: The errors of `plan`, and ``Stopped`` for a signal before the run is open.
    func run(
        _ plan: @escaping @Sendable () async throws -> PlannedWork,
        ended: @escaping @Sendable (RunOutcome) async throws -> Void
    ) async throws {
        let opened = Promise<RunID>()
        try await workUntilEvent(opened) {
            let work = try await plan()
            let (run, plan) = try await open(work)
            announce(run, plan)
            return run
        } then: { event in
            guard let run = opened.known else { throw reason(event) }
            try await ended(try await outcome(of: run, after: event))
        }
    }

    /// Submits a plan for workers that have been started already, follows the run to its end, and
    /// returns what it found.
    func run(_ work: PlannedWork, of prepared: PreparedRun) async throws -> RunEvidence {
        var farm = self
        farm.prepared = prepared
        let (run, _) = try await farm.open(work)
        switch try await farm.follow(run) {
        case .closed, .workersLeft: return try await coordinator.evidence(run, cancelled: false)
        case .gaveUp(let error): throw error
        case .signal, nil: throw CancellationError()
        }
    }

    private func outcome(of run: RunID, after event: Event) async throws -> RunOutcome {
        switch event {
        case .closed, .workersLeft:
            if let judged = try await coordinator.judged(run) {
                return RunOutcome(judged: judged, ending: .judged)
            }
            return RunOutcome(
                judged: try await coordinator.judgeOpen(run, cancelled: false),
                ending: .gaveUp
            )
        case .signal(let exit):
            var judged = try await coordinator.judgeOpen(run, cancelled: true)
            judged.summary.exitCode = exit.rawValue
            return RunOutcome(judged: judged, ending: .stopped(exit))
        case .gaveUp(let error):
            var judged = try await coordinator.judgeOpen(run, cancelled: false)
            judged.summary.problems.append(Problem(error))
            judged.summary.exitCode = error.exit.rawValue
            return RunOutcome(judged: judged, ending: .gaveUp)
        }
    }

    /// Returns the error for an event before the run was open.
    private func reason(_ event: Event) -> any Error {
        switch event {
        case .closed, .workersLeft: CancellationError()
        case .signal(let exit): Stopped(exit: exit)
        case .gaveUp(let error): error
        }
    }

    private func announce(_ run: RunID, _ plan: Plan) {
        guard !request.isQuiet else { return }
        let cells = plan.jobs.enumerated().flatMap { job, planned in
            planned.job.cells.enumerated()
                .filter { plan.testCount(job: job, cell: $0.offset) > 0 }.map(\.element.id)
        }
        Console.say(
            "run \(run): \(Amount.count(plan.testCount, "test")) on \(Amount.count(Set(cells).count, "cell")), "
                + Amount.count(workers.demand.count, "worker")
                + (plan.share.map { ", \($0.place.words) of the plan" } ?? "")
                + (plan.inherited.map { "; \($0.count) inherited from run \($0.run)" } ?? "")
        )
    }

    // MARK: the run in the ledger

    private func open(_ work: PlannedWork) async throws -> (run: RunID, plan: Plan) {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        var random = SystemRandomNumberGenerator()
        let id = RunID.new(now: now, using: &random).text
        let isPart = work.plan.share != nil || work.plan.filtered
        var facts = prepared.facts(of: work.plan, mode: work.plan.mode)
        facts.id = id
        facts.key = (isPart ? prepared.ci?.sharedKey : prepared.ci?.runKey) ?? ""
        facts.started = ISO8601.text(now)
        var submission = SubmitRequest(key: id, facts: facts, plan: work.plan, costs: work.costs)
        if let redOf = request.redOf, !redOf.isPlace {
            submission.redOf = try await redOf.message(prepared) {
                try await coordinator.runs(limit: FarmLimits.listMax)
            }
            submission = try await coordinator.inheriting(submission)
        }
        let plan = submission.plan
        if request.resumes {
            for plan in [plan, plan.withoutReuse] {
                if let run = try await coordinator.openRun(planDigest: plan.digest.description),
                    try await coordinator.share(of: run) == plan.share
                {
                    return (run, plan)
                }
            }
            throw ResumeError.nothingOpen
        }
        for old in try await coordinator.openRuns() { try await coordinator.cancel(old) }
        submission.plan.lost = try await coordinator.lost(from: plan, facts, .oneMachine)
        submission.plan.cleanRuns = try await coordinator.cleanRuns(before: plan, .oneMachine)
        return (try await coordinator.submit(submission), plan)
    }

    // MARK: work

    /// Opens the run, works until it is closed, given up or stopped by a signal, and then calls
    /// `then`.
    ///
    /// A second signal ends this process at once, also during the shutdown. The workers notice that
    /// the process is gone, and leave.
    private func workUntilEvent(
        _ opened: Promise<RunID>,
        _ open: @escaping @Sendable () async throws -> RunID,
        then: @Sendable (Event) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Event?.self) { group in
            group.addTask {
                _ = try await opened.value
                return try await keepWorkers()
            }
            group.addTask {
                let run = try await open()
                opened.set(run)
                return try await withBackgroundTask(
                    { try await tune(run) },
                    run: { try await follow(run) }
                )
            }
            group.addTask {
                for await exit in stops { return .signal(exit) }
                return nil
            }
            var first: Event?
            while first == nil, let event = try await group.next() { first = event }
            // The run is over: stop the workers that wait for work, and await them.
            group.cancelAll()
            let event = first ?? .workersLeft
            // A closed run is final: its outputs are written while the workers leave. Any other run
            // may get more reports until the last worker has left.
            if case .closed = event { try await then(event) }
            // Cancelled tasks may throw; the first event still decides.
            while await group.nextResult() != nil {}
            if case .closed = event { return }
            try await then(event)
        }
    }

    private func keepWorkers() async throws -> Event? {
        do {
            try await workers.run()
            return .workersLeft
        } catch let error as any ExplainedError {
            return .gaveUp(error)
        } catch is CancellationError {
            return nil
        }
    }

    private func tune(_ run: RunID) async throws {
        let coordinator = coordinator
        let tuner = request.tuner(workers.demand) {
            let progress = try await coordinator.progress(run)
            return progress.planned - progress.done
        }
        try await tuner?.run()
    }

    /// Shows the run's progress until it is closed or given up, and returns that event; `nil` if
    /// cancelled.
    private func follow(_ run: RunID) async throws -> Event? {
        var display = ProgressDisplay(
            isLive: Console.isLive(request.environment),
            isQuiet: request.isQuiet,
            now: .now
        )
        defer { display.finish() }
        while !Task.isCancelled {
            let progress = try await client.progress(run, waitSeconds: display.intervalSeconds)
            display.show(progress, now: .now)
            if progress.state != .running { return .closed }
            // Nothing will repair the run meanwhile. After a repair, --resume judges it again.
            if let problem = coordinator.judgementFailure(of: run) {
                return .gaveUp(UnjudgedError(problem))
            }
            // All workers of a local run have the same offer, so no other worker will fit.
            if progress.isUnplaceable {
                return .gaveUp(UnplaceableError(problems: Problem.unplaceable(progress.cells)))
            }
        }
        return nil
    }
}

/// The error of a run whose open test cases need something that this machine does not offer.
struct UnplaceableError: ExplainedError {
    let problems: [Problem]

    var code: String { "unplaceable" }
    var message: String { problems.map(\.message).joined(separator: " ") }
    var remedy: String {
        "Run it where workers offer that, say with --offer NAME=VALUE what this machine has, or "
            + "leave these cells out with --select; --resume finishes the open test cases."
    }
    var exit: ExitCode { .incomplete }
}

enum ResumeError: ExplainedError {
    case nothingOpen

    var code: String { "nothing-to-resume" }
    var message: String { "the data folder holds no open run of this plan." }
    var remedy: String {
        "Run without --resume. (A changed pipeline, test list, mode or pin is another plan.)"
    }
    var exit: ExitCode { .invalidInput }
}
