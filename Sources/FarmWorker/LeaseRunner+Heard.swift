// The state of a lease, from its driver's events.
import FarmCore

extension LeaseRunner {
    /// The events of the lease's driver so far.
    struct Heard {
        var finished: Set<TestID> = []
        var started: [TestID: Start] = [:]
        /// The time when the lease's first test started, or `nil` before that.
        var firstStart: ContinuousClock.Instant?
        /// The time when the lease's last program ended, or `nil` before that.
        var programsEnd: ContinuousClock.Instant?
        /// The sum of the tests' own durations, in seconds.
        var testSeconds = 0.0
        /// Whether a test was errored: then the lease had more than one launch, or an incomplete
        /// one.
        var hasErrors = false
        /// The tests whose names the test programs have printed.
        var mentioned: Set<TestID> = []
        /// The tests without a result when the shard's time was over, other than the running ones.
        var leftOver: [TestID] = []
        var completion = Completion.due
        /// The problem at the lease's end, or `nil`: the tests changed their references, or
        /// borrowed folders could not be put back.
        var problem: Problem?

        /// The number of tests without a result that the test programs have probably come to.
        var reached: Int { mentioned.union(started.keys).subtracting(finished).count }

        mutating func finish(_ result: TestResult) -> Bool {
            testSeconds += result.seconds
            if case .errored = result.ending { hasErrors = true }
            return finish(result.test)
        }

        /// Notes that a test has a result; returns `false` if it had one already.
        mutating func finish(_ test: TestID) -> Bool { finished.insert(test).inserted }

        /// Returns the seconds from the lease's grant to its first test, or `nil` if unknown.
        func start(
            of shard: Shard,
            _ granted: ContinuousClock.Instant,
            _ launches: LaunchMeter
        ) -> Double? {
            if let firstStart { return granted.duration(to: firstStart) / .seconds(1) }
            guard let programsEnd, !hasErrors, !finished.isEmpty else { return nil }
            return launches.start(
                of: CellKey(job: shard.job.name, cell: shard.cell.id),
                tests: finished.count,
                seconds: granted.duration(to: programsEnd) / .seconds(1) - testSeconds
            )
        }
    }

    /// The beginning of a test's run.
    struct Start {
        /// The time of the beginning, in milliseconds since 1970.
        let at: Int64
        let instant = ContinuousClock.now
        let mark: HostLoadMeter.Mark
    }

    /// The stages of a lease's completion.
    enum Completion {
        case due
        case sent(LeaseEvidence)
        case answered
    }
}
