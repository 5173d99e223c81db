// What the launchers of a coordinator do, where its calls can see it. Written by the one loop that
// launches, and lost with the process: the schedulers' lists are the truth.
import FarmCore
import Synchronization

/// What became of workers on demand; the names are those of a metric's label.
package enum LaunchOutcome: String, CaseIterable, Sendable {
    /// A scheduler took the order.
    case started
    /// The worker called the coordinator.
    case called
    /// The command that starts workers failed.
    case startFailed = "start_failed"
    /// It ended before it called.
    case endedUncalled = "ended_uncalled"
    /// It did not call in time, and was given up.
    case neverCalled = "never_called"
    /// It was stopped: silent, or not needed any more.
    case stopped
}

/// One launcher as monitors see it.
package struct LauncherCounts: Sendable, Hashable {
    package var name: String
    /// Started workers that may still call.
    package var coming = 0
    package var live = 0
    /// Since the coordinator began.
    package var outcomes: [LaunchOutcome: Int] = [:]

    package init(name: String) { self.name = name }
}

/// Notes of runs and counts of launchers.
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

    /// What the people of a run should know of workers on demand.
    package func notes(of run: RunID) -> [Problem] { state.withLock { $0.notes[run] ?? [] } }

    package var launchers: [LauncherCounts] { state.withLock { $0.launchers } }
}
