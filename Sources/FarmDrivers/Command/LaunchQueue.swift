// Decides which tests run together, and which test is to blame when a process dies. A crash or a
// hang costs only its own test: tests with a result keep it, and tests without one run again, in
// halves if nothing shows which test it was. Pure: the driver starts the processes.
//
// Invariants
//   - A launch that died decides at least one test case or is cut in two; the queue ends.
//   - If a program never gets as far as a test, few launches are tried.
import FarmCore

/// The reason why a process ended before its tests did.
package enum LaunchDeath: Hashable, Sendable {
    /// A signal ended the process, or the process exited in the middle of its tests.
    case crash
    /// The process left with an error that no result explains, before all tests had a result.
    case exit
    /// These tests ran longer than `timeout.test`.
    case hang([TestID])
    /// The process printed too much.
    case flood
    /// The process's time was over, which shows no single test to blame.
    case timeOver
}

/// A launch whose process died: its tests, their state, and the reason.
package struct DeadLaunch: Hashable, Sendable {
    package var tests: [TestID]
    /// The tests without a result, in the order in which they were given.
    package var open: [TestID]
    /// The tests that had started and not ended, as far as the program reports it.
    package var running: [TestID]
    package var death: LaunchDeath

    /// Whether any test of the launch had started, as far as known.
    fileprivate var hasBegun: Bool { open.count < tests.count || !running.isEmpty }

    /// The tests that are to blame for the end of the process.
    fileprivate var blamed: [TestID] {
        let open = Set(self.open)
        let suspects =
            switch death {
            case .hang(let overdue): overdue.filter { open.contains($0) }
            case .crash where running.count == 1: running.filter { open.contains($0) }
            case .crash, .exit, .flood, .timeOver: [] as [TestID]
            }
        guard suspects.isEmpty, open.count == 1 else { return suspects }
        // If a launch crashed, its other tests have results, so the last one is to blame. Too
        // little time or too much output may be the fault of all tests together.
        return tests.count == 1 || death == .crash ? self.open : []
    }

    /// The tests that run again because they are not to blame, one group for each next launch.
    fileprivate var groups: [[TestID]] {
        let blamed = Set(self.blamed)
        let rest = open.filter { !blamed.contains($0) }
        guard rest.count > 1 else { return rest.isEmpty ? [] : [rest] }
        let isOnlyLong = death == .timeOver && !running.isEmpty && open.count < tests.count
        guard blamed.isEmpty, !isOnlyLong else { return [rest] }
        let half = rest.count / 2
        return [Array(rest[..<half]), Array(rest[half...])]
    }
}

/// The launches of one lease that are still to come.
package struct LaunchQueue: Sendable {
    /// The most processes that may die before any test of the lease has started.
    ///
    /// This suffices to find the tests that crash in most eighths of a lease, if the program
    /// reports nothing before its end.
    package static let silentLaunchesMax = 12
    /// The most tests that may end their process; then the others without a result are errored,
    /// too.
    package static let deathsMax = 20

    private var waiting: [[TestID]]
    private var blamed = 0
    private var silentLaunches = 0
    private var hasBegun = false

    /// The consequences of a launch whose process died.
    package struct Step: Hashable, Sendable {
        /// The tests that ended the process.
        package var blamed: [TestID] = []
        /// Tests that do not run again, although they may not be to blame.
        package var givenUp: [TestID] = []
        /// Whether other tests of the launch run again.
        package var runsAgain = false
    }

    init(_ groups: [[TestID]]) { waiting = groups }

    package var isEmpty: Bool { waiting.isEmpty }

    /// Removes and returns the tests of the next launch, or returns `nil` if no launch is left.
    ///
    /// New groups go to the end, so that the search for a culprit in one group does not delay the
    /// innocent tests of another.
    package mutating func next() -> [TestID]? { waiting.isEmpty ? nil : waiting.removeFirst() }

    /// Notes a launch that came to its own end.
    package mutating func ended() { hasBegun = true }

    /// Returns the consequences of a launch that died.
    package mutating func died(_ launch: DeadLaunch) -> Step {
        if launch.hasBegun { hasBegun = true } else { silentLaunches += 1 }
        var step = Step(blamed: launch.blamed)
        blamed += step.blamed.count
        let groups = launch.groups
        waiting += groups
        let isHopeless = !hasBegun && silentLaunches >= Self.silentLaunchesMax
        if isHopeless || blamed >= Self.deathsMax {
            step.givenUp = waiting.flatMap(\.self)
            waiting = []
        } else {
            step.runsAgain = !groups.isEmpty
        }
        return step
    }
}
