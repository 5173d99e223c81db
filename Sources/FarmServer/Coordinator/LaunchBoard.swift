// The state of a coordinator's launchers, for its calls to read. Only the loop that launches writes
// it. It is lost with the process: the schedulers' lists are the truth.
import FarmCore
import Synchronization

/// The outcomes of workers that launchers start; the raw values are labels of a metric.
package enum LaunchOutcome: String, CaseIterable, Sendable {
    /// The scheduler accepted the order to start the worker.
    case started
    /// The worker called the coordinator.
    case called
    /// The command that starts workers failed.
    case startFailed = "start_failed"
    /// The worker ended before it called.
    case endedUncalled = "ended_uncalled"
    /// The worker did not call in time and was given up.
    case neverCalled = "never_called"
    /// The worker was stopped: it was silent or not needed any more.
    case stopped
}

/// The counts of one launcher, for monitors.
package struct LauncherCounts: Sendable, Hashable {
    package var name: String
    /// The number of started workers that have not called yet and still may.
    package var coming = 0
    package var live = 0
    /// The number of workers by outcome, since the coordinator began.
    package var outcomes: [LaunchOutcome: Int] = [:]

    package init(name: String) { self.name = name }
}

/// The launchers' notes on runs, and the counts of their workers.
package final class LaunchBoard: Sendable {
    private struct State {
        var notes: [RunID: [Problem]] = [:]
        var launchers: [LauncherCounts] = []
    }
    private let state = Mutex(State())

    init() {}

    package func set(_ launchers: [LauncherCounts], notes: [RunID: [Problem]]) {
        state.withLock {
            $0.launchers = launchers
            $0.notes = notes
        }
    }

    /// Returns the launchers' notes on a run, for people.
    package func notes(of run: RunID) -> [Problem] { state.withLock { $0.notes[run] ?? [] } }

    package var launchers: [LauncherCounts] { state.withLock { $0.launchers } }
}
