// How runs end. Each is judged in an error scope of its own: a store that vanished, or rows that no
// run leaves, keep one run from its result, and no other run, worker or call waits for it.
import FarmCore
import FarmLedger
import Logging
import Synchronization

extension Coordinator {
    /// Closes every run that has ended; what cannot be judged is tried again after a pause.
    ///
    /// - Throws: only what the ledger has against being asked.
    func closeFinishedRuns() async throws {
        let finished = try await ledger.finishedRuns()
        unjudged.withLock { $0.keep(only: finished) }
        for run in finished where unjudged.withLock({ $0.isDue(run, now: clock()) }) {
            do {
                try await close(run, cancelled: false)
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                let reason = Self.problem(error)
                unjudged.withLock { $0.failed(run, reason, now: clock()) }
                logger.error(
                    "a run cannot be judged",
                    metadata: ["run": "\(run)", "reason": "\(reason.message)"]
                )
                // Who waits for its end is told why it does not come.
                endings.ring()
            }
        }
    }

    /// Closes open runs that cannot be read, so that nothing else stumbles over them.
    func closeDamagedRuns() async throws {
        for run in try await ledger.damagedRuns() {
            let id = run.id
            var facts = run.facts
            facts.finished = ISO8601.text(clock())
            let judged = RunJudge.unjudgeable(
                facts,
                plan: nil,
                tests: [],
                startedAt: run.startedAt,
                because: run.reason
            )
            try await ledger.close(id, judged: judged, now: clock())
            logger.error(
                "a run cannot be read and was closed",
                metadata: ["run": "\(id)", "reason": "\(run.reason.message)"]
            )
        }
    }

    /// Judges a run and closes it, once.
    func close(_ run: RunID, cancelled: Bool) async throws {
        guard closing.withLock({ $0.insert(run).inserted }) else { return }
        defer { _ = closing.withLock { $0.remove(run) } }
        guard try await ledger.run(run).state == .running else { return }
        let judged = try await lastJudgement(of: run, cancelled: cancelled)
        try await ledger.close(run, judged: judged, now: clock())
        unjudged.withLock { $0.forget(run) }
        newest.withLock { $0 = (run, judged) }
        forgetReferences(of: run)
        logger.info("run \(run) is \(judged.summary.state.rawValue)")
        endings.ring()
        work.ring()
    }

    /// The judgement of a run that is to end now.
    ///
    /// One that is cancelled ends in any case, and so does one whose rows no run leaves: they will
    /// not be others when they are read again.
    private func lastJudgement(of run: RunID, cancelled: Bool) async throws -> JudgedRun {
        do {
            return try await judge(run, cancelled: cancelled, records: !cancelled)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            guard cancelled || Self.isDamage(error) else { throw error }
            return try await unjudgeable(run, because: Self.problem(error))
        }
    }

    private func unjudgeable(_ id: RunID, because reason: Problem) async throws -> JudgedRun {
        let run = try await ledger.run(id)
        var facts = run.facts
        facts.finished = ISO8601.text(clock())
        // What cannot be read may be the tests themselves.
        let tests = try? await ledger.evidence(id).tests
        return RunJudge.unjudgeable(
            facts,
            plan: run.plan,
            tests: tests ?? [],
            startedAt: run.startedAt,
            because: reason
        )
    }

    private static func isDamage(_ error: any Error) -> Bool {
        if case LedgerError.damaged = error { true } else { false }
    }

    private static func problem(_ error: any Error) -> Problem {
        if let error = error as? any ExplainedError { return Problem(error) }
        return Problem(
            code: "internal",
            message: "the coordinator failed: \(error).",
            remedy: "Look into its log; please report it."
        )
    }

    // MARK: what is said of it

    /// Why an open run that has ended is not judged yet; nil for any other.
    package func whyNotJudged(_ run: RunID) -> Problem? {
        unjudged.withLock { $0.problem(of: run) }
    }

    /// Open runs that have ended and could not be judged.
    package var unjudgedCount: Int { unjudged.withLock { $0.count } }

    /// The progress with why there is no judgement, where there is none.
    func explained(_ progress: RunProgress, of run: RunID) async throws -> RunProgress {
        var progress = progress
        if progress.state == .running {
            progress.notes += [whyNotJudged(run)].compactMap(\.self)
        } else if progress.state == .unjudgeable {
            progress.notes += try await judged(run)?.summary.problems ?? []
        }
        return progress
    }
}
