// The end of runs. Each run is judged in an error scope of its own, beside all other work. A store
// that vanished or hangs, or damaged rows, keep only that run from its result: no lease, worker,
// call or other run waits.
import FarmCore
import FarmLedger
import Logging
import Synchronization

extension Coordinator {
    private struct DueEnding {
        var run: RunID
        /// Whether the run ends because no worker works on it any more.
        var isAbandoned = false
    }

    /// Judges and closes runs that are due, until the task is cancelled or the coordinator stops.
    ///
    /// After a pause, retries runs that could not be judged.
    ///
    /// - Throws: errors of the ledger's queries only.
    package func endRunsUntilStopped() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            while !isStopping {
                let seen = lastReports.count
                for due in try await dueBeside() {
                    group.addTask {
                        await self.end(due)
                        // Wakes this loop: there is room for the next run.
                        self.lastReports.notify()
                    }
                }
                await lastReports.wait(after: seen, seconds: FarmLimits.sweepSeconds)
                try Task.checkCancellation()
            }
        }
    }

    /// Judges and closes the runs that are due, one after another.
    ///
    /// Unlike ``endRunsUntilStopped()``, it waits for a store that hangs.
    package func endRuns() async throws {
        for due in try await dueEndings(atOnce: .max) { await end(due) }
    }

    /// Returns the runs to close now: as many as may be judged at once beside those under way.
    private func dueBeside() async throws -> [DueEnding] {
        do {
            return try await dueEndings(atOnce: endings.withLock { $0.room(now: clock()) })
        } catch is CancellationError {
            // The end of another task may interrupt this task's read of the ledger.
            try Task.checkCancellation()
            return []
        }
    }

    /// Returns the runs to close: abandoned ones, then at most `atOnce` finished ones.
    ///
    /// Runs whose judgement failed before come last, so that they delay no other run.
    private func dueEndings(atOnce: Int) async throws -> [DueEnding] {
        guard hooks.leads() else { return [] }
        let abandoned = try await abandonedRuns().map { DueEnding(run: $0, isAbandoned: true) }
        let finished = try await ledger.finishedRuns()
        unjudged.withLock { $0.keep(only: finished) }
        let now = clock()
        let due = finished.filter { run in
            unjudged.withLock { $0.isDue(run, now: now) }
                && !endings.withLock { $0.isEnding(run) }
        }
        let failed = unjudged.withLock { $0.all }
        let byTurn =
            due.filter { !failed.contains($0) } + due.filter { failed.contains($0) }
        return abandoned + byTurn.prefix(max(0, atOnce)).map { DueEnding(run: $0) }
    }

    private func end(_ due: DueEnding) async {
        let run = due.run
        if due.isAbandoned {
            logger.warning("run given up: nobody works for it", metadata: ["run": "\(run)"])
        }
        do {
            try await close(run, cancelled: due.isAbandoned)
        } catch is CancellationError {
            // The coordinator stops; the next one finds the run again.
        } catch {
            let reason = Self.problem(error)
            // The next look finds an abandoned run again.
            if !due.isAbandoned {
                unjudged.withLock { $0.failed(run, reason, now: clock()) }
            }
            logger.error(
                "a run cannot be judged",
                metadata: ["run": "\(run)", "reason": "\(reason.message)"]
            )
            // Wakes calls that wait for the run's end: their answers say why it does not come.
            endSignal.notify()
        }
    }

    /// Closes open runs that cannot be read, so that they disturb nothing else.
    func closeDamagedRuns() async throws {
        for run in try await ledger.damagedRuns() {
            let judged = withoutPlan(run.facts, startedAt: run.startedAt, because: run.reason)
            do {
                try await ledger.close(run.id, judged: judged, now: clock())
                hooks.onEvent(FarmEvent(closed: judged.summary, now: clock()))
                endSignal.notify()
                logger.error(
                    "a run cannot be read and was closed",
                    metadata: ["run": "\(run.id)", "reason": "\(run.reason.message)"]
                )
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                logger.error(
                    "a run cannot be read, and cannot be closed",
                    metadata: ["run": "\(run.id)", "reason": "\(Self.problem(error).message)"]
                )
            }
        }
    }

    /// Judges a run and closes it, unless it is closed already or another task ends it.
    ///
    /// A cancel takes over from a judgement under way, which may hang.
    func close(_ run: RunID, cancelled: Bool) async throws {
        guard
            let ticket = endings.withLock({ $0.begin(run, cancels: cancelled, now: clock()) })
        else { return }
        defer { endings.withLock { $0.end(run, ticket) } }
        guard try await isOpen(run) else { return }
        let judged = try await lastJudgement(of: run, cancelled: cancelled)
        guard endings.withLock({ $0.holds(run, ticket) }) else { return }
        try await ledger.close(run, judged: judged, now: clock())
        unjudged.withLock { $0.forget(run) }
        // If two calls close a run, the ledger keeps the first result, so this one is cached only
        // if no cancel took over.
        if !cancelled, endings.withLock({ $0.holds(run, ticket) }) {
            newest.withLock { $0 = (run, judged) }
        }
        forgetReferences(of: run)
        logger.info("run \(run) is \(judged.summary.state.rawValue)")
        hooks.onEvent(FarmEvent(closed: judged.summary, now: clock()))
        endSignal.notify()
        work.notify()
    }

    /// Returns the judgement of a run that is to end now.
    ///
    /// A cancelled run always ends, and waits at most `judgeSeconds` for its judgement. A run whose
    /// failure is the last (``UnjudgedRuns/isLast(_:triedSeconds:patience:)``) ends as
    /// `unjudgeable`.
    private func lastJudgement(of run: RunID, cancelled: Bool) async throws -> JudgedRun {
        do {
            guard cancelled else { return try await judge(run, cancelled: false, records: true) }
            return try await withPatience { [self] in
                try await judge(run, cancelled: true, records: false)
            }
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            guard cancelled || isLast(error, of: run) else { throw error }
            return try await unjudgeable(run, because: Self.problem(error))
        }
    }

    /// Runs `work`, which may never end, for at most `judgeSeconds`.
    ///
    /// - Throws: ``CoordinatorError/judgementHangs`` after that time, and the errors of `work`.
    func withPatience<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask { [judgeSeconds] in
                try await Task.sleep(for: .seconds(judgeSeconds))
                return nil
            }
            defer { group.cancelAll() }
            guard case .some(.some(let value)) = try await group.next() else {
                throw CoordinatorError.judgementHangs
            }
            return value
        }
    }

    private func unjudgeable(_ id: RunID, because reason: Problem) async throws -> JudgedRun {
        do {
            let run = try await ledger.run(id)
            // Does without the tests if they are the part that cannot be read.
            let tests = try? await ledger.evidence(id).tests
            var facts = run.facts
            facts.finished = ISO8601.text(clock())
            return RunJudge.unjudgeable(
                facts,
                plan: run.plan,
                tests: tests ?? [],
                startedAt: run.startedAt,
                because: reason
            )
        } catch LedgerError.damaged {
            let run = try await ledger.damagedRuns().first { $0.id == id }
            return withoutPlan(
                run?.facts ?? .unknown(id),
                startedAt: run?.startedAt ?? clock(),
                because: reason
            )
        }
    }

    /// Returns the judgement of a run whose plan cannot be read.
    private func withoutPlan(
        _ facts: RunFacts,
        startedAt: Milliseconds,
        because reason: Problem
    ) -> JudgedRun {
        var facts = facts
        facts.finished = ISO8601.text(clock())
        return RunJudge.unjudgeable(
            facts,
            plan: nil,
            tests: [],
            startedAt: startedAt,
            because: reason
        )
    }

    private func isLast(_ error: any Error, of run: RunID) -> Bool {
        UnjudgedRuns.isLast(
            error,
            triedSeconds: unjudged.withLock { $0.seconds(of: run, now: clock()) },
            patience: hooks.judgePatienceSeconds
        )
    }

    static func problem(_ error: any Error) -> Problem {
        if let error = error as? any ExplainedError { return Problem(error) }
        return Problem(
            code: "internal",
            message: "the coordinator failed: \(error.inWords).",
            remedy: "Look into its log; please report it."
        )
    }

    // MARK: open runs

    /// Returns the judgement of a run as it stands now, without closing it.
    ///
    /// - Throws: ``UnjudgedError``, which names the run, if it cannot be judged or its judgement
    ///   hangs.
    package func judgeOpen(_ run: RunID, cancelled: Bool) async throws -> JudgedRun {
        if let judged = try await judged(run) { return judged }
        do {
            var open = try await withPatience { [self] in
                try await judge(run, cancelled: cancelled, records: false)
            }
            open.summary.problems = faults.current + open.summary.problems
            return open
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw UnjudgedError(.cannotBeJudged(run, Self.problem(error)))
        }
    }

    /// Returns why an open run that has ended is not judged yet, or `nil` for any other run.
    package func whyNotJudged(_ run: RunID) -> Problem? {
        if let failure = judgementFailure(of: run) { return failure }
        let hangs = endings.withLock { $0.hanging(now: clock()).contains(run) }
        return hangs ? .judgementHangs(run) : nil
    }

    /// Returns why the last try to judge a run failed, or `nil` if no try failed.
    package func judgementFailure(of run: RunID) -> Problem? {
        unjudged.withLock { $0.problem(of: run) }
    }

    /// The number of open runs that have ended and that cannot be judged, or whose judgement hangs.
    package var unjudgedCount: Int {
        let hanging = endings.withLock { $0.hanging(now: clock()) }
        return unjudged.withLock { $0.all }.union(hanging).count
    }

    /// Returns a run's progress with notes added: for an open run, storage faults, a failed
    /// judgement and the launchers' notes; for an unjudgeable run, the problems of its result.
    func explained(_ progress: RunProgress, of run: RunID) async throws -> RunProgress {
        var progress = progress
        if progress.state == .running {
            progress.notes =
                faults.current + progress.notes + [whyNotJudged(run)].compactMap(\.self)
                + launches.notes(of: run)
        } else if progress.state == .unjudgeable {
            progress.notes += try await judged(run)?.summary.problems ?? []
        }
        return progress
    }
}

/// The error for a run that cannot be judged now and stays open.
package struct UnjudgedError: ExplainedError, Hashable {
    package let problem: Problem

    package init(_ problem: Problem) { self.problem = problem }

    package var code: String { problem.code }
    package var message: String { problem.message }
    package var remedy: String { problem.remedy }
    package var exit: ExitCode { .configuration }
}

extension Problem {
    /// The problem of an open run that cannot be judged, for a caller that asks for the run's
    /// state.
    static func cannotBeJudged(_ run: RunID, _ reason: Problem) -> Problem {
        Problem(
            code: notJudgedCode,
            message: "run \(run) cannot be judged: \(reason.message)",
            remedy: "\(reason.remedy) The run stays open: --resume finishes it."
        )
    }
}
