// The flow of `snapfarm run --coordinator`: decodes and discovers here, submits the run, follows
// it, and fetches its results. The work tree stays here; bundles carry the files that the tests
// need.
import FarmAPI
import FarmArtifacts
import FarmCore
import FarmDrivers
import FarmReferences
import Foundation
import Synchronization

/// One run on a coordinator elsewhere.
package struct RemoteRun: Sendable {
    let request: RunRequest
    let coordinator: RemoteCoordinator

    package init(request: RunRequest, coordinator: RemoteCoordinator) {
        self.request = request
        self.coordinator = coordinator
    }

    /// Runs the tests on the coordinator and returns the exit code.
    package func perform() async throws -> Int32 {
        // Checks the coordinator and the token before discovery, which may build for minutes.
        _ = try await coordinator.asked { try await $0.runs(limit: 1) }
        // From here on the coordinator is known, and a restart of it costs no run.
        return try await coordinator.asked(patience: .patient) { try await perform($0) }
    }

    private func perform(_ client: CoordinatorClient) async throws -> Int32 {
        let local = LocalRun(request)
        var prepared = try local.prepare()
        let unchanged = UnchangedRun(request: request, prepared: prepared)
        if unchanged.applies,
            let fleet = await FleetFacts(of: prepared.source.pipeline.name, at: client)
        {
            let found = await unchanged.look(fleet)
            if let outcome = found.outcome { return try await local.finish(outcome, prepared) }
            prepared.inputs = found.inputs
        }
        return try await perform(prepared, local, client)
    }

    private func perform(
        _ prepared: PreparedRun,
        _ local: LocalRun,
        _ client: CoordinatorClient
    ) async throws -> Int32 {
        let work: PlannedWork
        do {
            work = try await local.plan(prepared)
        } catch let error as any ExplainedError where error.exit == .incomplete {
            // No test ran. CI gets the reason in the same files as a result.
            Console.explain(error)
            return try await local.finish(.failed(Problem(error), prepared, request), prepared)
        }
        let watched = try await StopSignals.watched { stops in
            try await handIn(work, prepared, client, stops)
        }
        switch watched {
        case .stopped(let exit): return exit.rawValue
        case .ended(let run):
            guard var judged = try await client.result(run) else {
                throw APIError.malformed(url: coordinator.url, reason: "an ended run has no result")
            }
            say("fetching what run \(run) made …")
            try await PictureDownload(run: run, client: client, blobs: prepared.blobs)
                .complete(&judged)
            return try await local.finish(
                RunOutcome(judged: judged, ending: .judged),
                prepared,
                decisions: .coordinator(coordinator, run)
            )
        }
    }

    private enum Ending: Sendable {
        case ended(RunID)
        case stopped(ExitCode)
    }

    private func say(_ line: String) { if !request.isQuiet { Console.say(line) } }

    // MARK: submitting

    private func handIn(
        _ work: PlannedWork,
        _ prepared: PreparedRun,
        _ client: CoordinatorClient,
        _ stops: AsyncStream<ExitCode>
    ) async throws -> Ending {
        try await withThrowingTaskGroup(of: Ending?.self) { group in
            let started = StartedRun()
            group.addTask {
                let run = try await submit(work, prepared, client)
                started.set(run)
                do {
                    return try await follow(run, prepared, client)
                } catch let error as APIError where error.leavesRun {
                    throw LeftRun(run: run, url: coordinator.url, error: error)
                }
            }
            group.addTask {
                for await exit in stops { return .stopped(exit) }
                return nil
            }
            var first: Ending?
            while first == nil, let ending = try await group.next() { first = ending }
            group.cancelAll()
            while await group.nextResult() != nil {}
            guard let first else { throw CancellationError() }
            if case .stopped = first, let run = started.run { sayDetached(run) }
            return first
        }
    }

    private func sayDetached(_ run: RunID) {
        request.words.say(
            "Run \(run) goes on at \(coordinator.url). The same command with --resume follows it "
                + "again; snapfarm cancel \(run) ends it."
        )
    }

    private func submit(
        _ work: PlannedWork,
        _ prepared: PreparedRun,
        _ client: CoordinatorClient
    ) async throws -> RunID {
        var plan = work.plan
        // The facts are taken before the bundles: they must not depend on this machine's paths.
        let facts = prepared.facts(of: plan, mode: plan.mode)
        let upload = BundleUpload(
            workTree: prepared.source.folder,
            without: [
                prepared.data.path, PipelineSource.absolute(request.output),
            ],
            scratch: prepared.data.scratch,
            client: client,
            say: { say($0) }
        )
        try await upload.send(&plan)
        plan.workTree = ""
        var submission = SubmitRequest(
            key: key(prepared),
            facts: facts,
            plan: plan,
            resumes: request.resumes ? true : nil,
            costs: work.costs,
            priority: coordinator.priority
        )
        if let redOf = request.redOf, !redOf.isPlace {
            submission.redOf = try await redOf.message(prepared) {
                try await client.runs(limit: FarmLimits.listMax)
            }
        }
        let run = try await handIn(submission, client)
        let red = submission.redOf.map { "; only what is not green in run \($0.run) runs" } ?? ""
        say(
            "run \(run) at \(coordinator.url): \(plan.testCount) tests on "
                + "\(Set(plan.jobs.flatMap { $0.job.cells.map(\.id) }).count) cells\(red)"
        )
        return run
    }

    /// Hands a run in; waits while its team's quota has no room, and says for what.
    private func handIn(
        _ submission: SubmitRequest,
        _ client: CoordinatorClient
    ) async throws -> RunID {
        let end = ContinuousClock.now + .seconds(coordinator.quotaWaitSeconds)
        var said = ""
        while true {
            do {
                return try await client.submit(submission)
            } catch APIError.refused(let problem, let exit)
                where problem.code == QuotaRefusal.code
            {
                guard ContinuousClock.now < end else { throw APIError.refused(problem, exit) }
                if problem.message != said {
                    Console.say("Waiting to hand the run in: \(problem.message)")
                }
                said = problem.message
                try await Task.sleep(for: .seconds(FarmLimits.quotaPauseSeconds))
            }
        }
    }

    /// Returns the key of the run: the command line's, the CI's, or a new one.
    ///
    /// CI jobs with the same key share one run.
    private func key(_ prepared: PreparedRun) -> String {
        if let key = coordinator.key { return key }
        if let key = prepared.ci?.runKey, !key.isEmpty {
            return "\(key) \(prepared.source.pipeline.name) \(request.mode.rawValue)"
        }
        var random = SystemRandomNumberGenerator()
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        return "\(ProcessInfo.processInfo.hostName) \(RunID.new(now: now, using: &random))"
    }

    // MARK: following

    private func follow(
        _ run: RunID,
        _ prepared: PreparedRun,
        _ client: CoordinatorClient
    ) async throws -> Ending {
        try await withBackgroundTask(
            { if coordinator.joins { try await lend(prepared, run, client) } },
            run: {
                // Soon says that the coordinator is gone, and has patience of its own.
                try await coordinator.asked { try await watch(run, $0) }
                return .ended(run)
            }
        )
    }

    /// Shows the run's progress until the run has ended; waits for a coordinator that restarts.
    private func watch(_ run: RunID, _ client: CoordinatorClient) async throws {
        var display = ProgressDisplay(
            isLive: Console.isLive(request.environment),
            isQuiet: request.isQuiet,
            now: .now
        )
        defer { display.finish() }
        var lost: ContinuousClock.Instant?
        while true {
            try Task.checkCancellation()
            do {
                let progress = try await client.progress(
                    run,
                    waitSeconds: max(1, display.intervalSeconds)
                )
                lost = nil
                display.show(progress, now: .now)
                if progress.state != .running { return }
            } catch let error as APIError where error.isUnreachable {
                let since = lost ?? .now
                if lost == nil {
                    let minutes = Int(FarmLimits.followPatienceSeconds / 60)
                    say("\(error.message) Trying again for \(minutes) minutes …")
                }
                lost = since
                guard ContinuousClock.now - since < .seconds(FarmLimits.followPatienceSeconds)
                else { throw error }
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// Runs workers on this machine for the coordinator, until the run has ended.
    private func lend(
        _ prepared: PreparedRun,
        _ run: RunID,
        _ client: CoordinatorClient
    ) async throws {
        let demand = WorkerDemand(request.workersAtFirst(prepared.source.pipeline))
        let pool = WorkerPool(
            demand: demand,
            coordinator: client,
            token: coordinator.token,
            data: prepared.data,
            environment: request.environment,
            say: { say($0) },
            offer: try await LocalOffer.joining(
                request.offer,
                environment: request.environment
            ),
            prefix: ProcessInfo.processInfo.hostName + "-"
        )
        let tuner = request.tuner(demand) {
            let progress = try await client.progress(run, waitSeconds: 0)
            return progress.planned - progress.done
        }
        try await withBackgroundTask({ try await tuner?.run() }, run: { try await pool.run() })
    }
}

/// The error of a run that continues although its caller can no longer follow it.
private struct LeftRun: ExplainedError {
    let run: RunID
    let url: String
    let error: APIError

    var code: String { error.code }
    var message: String { "\(error.message) Run \(run) goes on at \(url)." }
    var remedy: String {
        "\(error.remedy) `snapfarm why \(run)` then says how far the run is, and the same command with "
            + "--resume follows it again."
    }
    var exit: ExitCode { error.exit }
}

extension APIError {
    /// Whether the run continues after this error, although its caller can no longer follow it.
    fileprivate var leavesRun: Bool { isUnreachable || code.hasPrefix("token-") }
}

/// The id of the submitted run, or `nil` before it is known.
private final class StartedRun: Sendable {
    private let state = Mutex<RunID?>(nil)
    var run: RunID? { state.withLock { $0 } }
    func set(_ run: RunID) { state.withLock { $0 = run } }
}
