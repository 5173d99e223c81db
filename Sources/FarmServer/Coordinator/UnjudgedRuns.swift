// The open runs that have ended and could not be judged, and when each is tried again. Only a hint:
// a coordinator that starts again tries all of them at once.
import FarmCore
import FarmLedger

/// The open runs whose last judgement failed.
struct UnjudgedRuns {
    private struct Trouble {
        var reason: Problem
        var tries: Int
        var firstAt: Milliseconds
        var nextAt: Milliseconds
    }
    private var runs: [RunID: Trouble] = [:]

    var all: Set<RunID> { Set(runs.keys) }

    /// Returns whether a run may be judged now: its judgement never failed, or the pause after the
    /// failure is over.
    func isDue(_ run: RunID, now: Milliseconds) -> Bool {
        guard let trouble = runs[run] else { return true }
        // A clock that was set back must not lengthen the pause.
        return now >= trouble.nextAt || trouble.nextAt - now > Self.pauseMax
    }

    /// Notes that a run could not be judged.
    ///
    /// Each pause until the next try is twice the last.
    mutating func failed(_ run: RunID, _ reason: Problem, now: Milliseconds) {
        let tries = (runs[run]?.tries ?? 0) + 1
        let pause = min(1_000 << Int64(min(tries - 1, 20)), Self.pauseMax)
        runs[run] = Trouble(
            reason: reason,
            tries: tries,
            firstAt: runs[run]?.firstAt ?? now,
            nextAt: now + pause
        )
    }

    /// Returns the seconds since the first try of a run failed, or 0 if none failed.
    func seconds(of run: RunID, now: Milliseconds) -> Double {
        runs[run].map { Double(now - $0.firstAt) / 1000 } ?? 0
    }

    /// Forgets all failures except those of the runs `finished`, which still wait for their
    /// judgement.
    mutating func keep(only finished: [RunID]) {
        guard !runs.isEmpty else { return }
        let finished = Set(finished)
        runs = runs.filter { finished.contains($0.key) }
    }

    mutating func forget(_ run: RunID) { runs[run] = nil }

    /// Returns why a run is not judged, for people, or `nil` if its judgement never failed.
    func problem(of run: RunID) -> Problem? {
        runs[run].map { .notJudged(run, $0.reason, tries: $0.tries) }
    }

    /// Returns whether the coordinator ends a run after this failed judgement, without another try.
    ///
    /// Another try may succeed if a host is away, a lock is held, the disk is full or the store can
    /// be repaired in time. It cannot after damaged rows or pictures that the store refuses.
    /// `patience` is in seconds; with `nil`, every other failure is retried without end.
    static func isLast(_ error: any Error, triedSeconds: Double, patience: Double?) -> Bool {
        if case LedgerError.damaged = error { return true }
        if let patience, triedSeconds >= patience { return true }
        guard let error = error as? UnrecordedError else { return false }
        return [.invalidInput, .usage, .internal].contains(error.exit)
    }

    private static let pauseMax = Int64(FarmLimits.judgePauseSecondsMax * 1000)
}
