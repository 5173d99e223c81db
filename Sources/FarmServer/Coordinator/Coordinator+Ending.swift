// How runs end. Each is judged in an error scope of its own, beside everything else: a store that
// vanished or hangs, or rows that no run leaves, keep one run from its result, and no lease, worker,
// call or other run waits for it.
import FarmCore
import FarmLedger
import Logging
import Synchronization

extension Coordinator {
    private struct DueEnding {
        var run: RunID
        /// Nobody works for it any more.
        var isAbandoned = false
    }

    /// Ends runs as they come to their end, until it is cancelled or the coordinator stops; what
    /// cannot be judged is tried again after a pause.
    ///
    /// - Throws: only what the ledger has against being asked.
    package func endRunsUntilStopped() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            while !isStopping {
                let seen = lastReports.count
                for due in try await dueBeside() {
                    group.addTask {
                        await self.end(due)
                        // There is room for the next.
                        self.lastReports.notify()
                    }
                }
                await lastReports.wait(after: seen, seconds: FarmLimits.sweepSeconds)
                try Task.checkCancellation()
            }
        }
    }

    /// Ends the runs that have come to their end one after another, for who does one thing at a time:
    /// a store that hangs keeps it.
    package func endRuns() async throws {
        for due in try await dueEndings(atOnce: .max) { await end(due) }
    }

    /// What may begin beside what is being judged already.
    private func dueBeside() async throws -> [DueEnding] {
        do {
            return try await dueEndings(atOnce: running.withLock { $0.room(now: clock()) })
        } catch is CancellationError {
            // Another task's end may interrupt what the ledger reads for this one.
            try Task.checkCancellation()
            return []
        }
    }

    /// Those that failed before come last: however many they are, they keep nobody else waiting.
    private func dueEndings(atOnce: Int) async throws -> [DueEnding] {
        guard hooks.leads() else { return [] }
        let abandoned = try await abandonedRuns().map { DueEnding(run: $0, isAbandoned: true) }
        let finished = try await ledger.finishedRuns()
        unjudged.withLock { $0.keep(only: finished) }
        let now = clock()
        let due = finished.filter { run in
            unjudged.withLock { $0.isDue(run, now: now) }
                && !running.withLock { $0.isEnding(run) }
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
            // One that was given up is found again by the next look.
            if !due.isAbandoned {
                unjudged.withLock { $0.failed(run, reason, now: clock()) }
            }
            logger.error(
                "a run cannot be judged",
                metadata: ["run": "\(run)", "reason": "\(reason.message)"]
            )
            // Who waits for its end is told why it does not come.
            endings.notify()
        }
    }

    /// Closes open runs that cannot be read, so that nothing else stumbles over them.
    func closeDamagedRuns() async throws {
        for run in try await ledger.damagedRuns() {
            let judged = withoutPlan(run.facts, startedAt: run.startedAt, because: run.reason)
            do {
                try await ledger.close(run.id, judged: judged, now: clock())
                hooks.hear(FarmEvent(closed: judged.summary, now: clock()))
                endings.notify()
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

    /// Judges a run and closes it, once; a cancel takes that over from a judgement on its way, which
    /// may hang.
    func close(_ run: RunID, cancelled: Bool) async throws {
        guard
            let ticket = running.withLock({ $0.begin(run, cancels: cancelled, now: clock()) })
        else { return }
        defer { running.withLock { $0.end(run, ticket) } }
        guard try await isOpen(run) else { return }
        let judged = try await lastJudgement(of: run, cancelled: cancelled)
        guard running.withLock({ $0.holds(run, ticket) }) else { return }
        try await ledger.close(run, judged: judged, now: clock())
        unjudged.withLock { $0.forget(run) }
        // Of two who close a run the ledger keeps the first, and a cancel may have been the second.
        if !cancelled, running.withLock({ $0.holds(run, ticket) }) {
            newest.withLock { $0 = (run, judged) }
        }
        forgetReferences(of: run)
        logger.info("run \(run) is \(judged.summary.state.rawValue)")
        hooks.hear(FarmEvent(closed: judged.summary, now: clock()))
        endings.notify()
        work.notify()
    }

    /// The judgement of a run that is to end now.
    ///
    /// One that is cancelled ends in any case and in time, and so does one whose failure is the last
    /// (``UnjudgedRuns/isLast(_:triedSeconds:patience:)``).
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

    /// Does `work`, which may never end, for as long as a person waits.
    ///
    /// - Throws: ``CoordinatorError/judgementHangs``, and what `work` throws.
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
            // What cannot be read may be the tests themselves.
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

    /// All that can be said of a run that cannot be read.
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

    // MARK: what is said of it

    /// Judges what is known of a run now, without closing it.
    ///
    /// - Throws: what names the run, where it cannot be judged or its judgement hangs.
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

    /// Why an open run that has ended is not judged yet; nil for any other.
    package func whyNotJudged(_ run: RunID) -> Problem? {
        if let failure = judgementFailure(of: run) { return failure }
        let hangs = running.withLock { $0.hanging(now: clock()).contains(run) }
        return hangs ? .judgementHangs(run) : nil
    }

    /// Why the last try to judge a run failed; nil where none did.
    package func judgementFailure(of run: RunID) -> Problem? {
        unjudged.withLock { $0.problem(of: run) }
    }

    /// Open runs that have ended and that cannot be judged, or whose judgement hangs.
    package var unjudgedCount: Int {
        let hanging = running.withLock { $0.hanging(now: clock()) }
        return unjudged.withLock { $0.all }.union(hanging).count
    }

    /// The progress with why there is no judgement, where there is none.
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

/// A run cannot be judged now, and stays open.
package struct UnjudgedError: ExplainedError, Hashable {
    package let problem: Problem

    package init(_ problem: Problem) { self.problem = problem }

    package var code: String { problem.code }
    package var message: String { problem.message }
    package var remedy: String { problem.remedy }
    package var exit: ExitCode { .configuration }
}

extension Problem {
    /// Said where somebody who waits for a run that is open wants to see how it stands.
    static func cannotBeJudged(_ run: RunID, _ reason: Problem) -> Problem {
        Problem(
            code: notJudgedCode,
            message: "run \(run) cannot be judged: \(reason.message)",
            remedy: "\(reason.remedy) The run stays open: --resume finishes it."
        )
    }
}
