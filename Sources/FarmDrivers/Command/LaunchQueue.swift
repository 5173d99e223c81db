// Decides which tests run together, and which one is to blame when a process dies. A crash or a hang
// costs its own test: what has a result keeps it, and what has none runs again, in halves where nothing
// says which test it was. Pure: the driver starts processes, this says with which tests.
//
// Invariants
//   - A launch that died decides at least one test case or is cut in two; the queue ends.
//   - Of a program that never gets as far as a test, few launches are tried.
import FarmCore

/// A cause of a process's end before that of its tests.
package enum LaunchDeath: Hashable, Sendable {
    /// A signal, or an end of its own while a test ran.
    case crash
    /// It left with an error that no result explains, before all tests had one.
    case exit
    /// These tests ran longer than one may.
    case hang([TestID])
    /// It printed too much.
    case flood
    /// Its time was over, which says nothing of a test.
    case timeOver
}

/// A process that died.
package struct DeadLaunch: Hashable, Sendable {
    package var tests: [TestID]
    /// Those of them that have no result, in the order in which they were given.
    package var open: [TestID]
    /// Those that had started and not ended, as far as the program says it.
    package var running: [TestID]
    package var death: LaunchDeath

    /// A test had started.
    fileprivate var hasBegun: Bool { open.count < tests.count || !running.isEmpty }

    /// The tests that ended it.
    fileprivate var blamed: [TestID] {
        let open = Set(self.open)
        let suspects =
            switch death {
            case .hang(let overdue): overdue.filter { open.contains($0) }
            case .crash where running.count == 1: running.filter { open.contains($0) }
            case .crash, .exit, .flood, .timeOver: [] as [TestID]
            }
        guard suspects.isEmpty, open.count == 1 else { return suspects }
        // The others of a crashed launch have their results; a time that was over, or a log that was
        // full, may be everybody's.
        return tests.count == 1 || death == .crash ? self.open : []
    }

    /// The next launches of the tests that are not to blame.
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
    /// Processes that may die before a test has started: as many as find the tests that crash in most
    /// eighths of a lease, of a program that says nothing before its end.
    package static let silentLaunchesMax = 12
    /// Tests that may end a process; then the others without a result are errored, too.
    package static let deathsMax = 20

    private var waiting: [[TestID]]
    private var blamed = 0
    private var silentLaunches = 0
    private var hasBegun = false

    /// The consequences of a death.
    package struct Step: Hashable, Sendable {
        /// The tests that ended the process.
        package var blamed: [TestID] = []
        /// Tests that do not run again although they may be innocent.
        package var givenUp: [TestID] = []
        /// Others of the launch run again.
        package var runsAgain = false
    }

    init(_ groups: [[TestID]]) { waiting = groups }

    package var isEmpty: Bool { waiting.isEmpty }

    /// The tests of the next launch.
    ///
    /// Innocent halves of one group are not kept waiting by the search in another.
    package mutating func next() -> [TestID]? { waiting.isEmpty ? nil : waiting.removeFirst() }

    /// Notes a launch that came to its end.
    package mutating func ended() { hasBegun = true }

    /// Decides after a launch that died.
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
