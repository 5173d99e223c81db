// The words of a driver about one lease, as far as they count for its end.
import FarmCore

extension LeaseRunner {
    /// The driver's events so far.
    struct Heard {
        var finished: Set<TestID> = []
        var started: [TestID: Start] = [:]
        /// When the first of them did.
        var firstStart: ContinuousClock.Instant?
        /// When no program of the lease ran any more.
        var programsEnd: ContinuousClock.Instant?
        /// Seconds that the tests say of themselves.
        var testSeconds = 0.0
        /// A test was errored: the lease had more than one launch, or none to its end.
        var hasErrors = false
        /// The tests whose names the programs have printed.
        var mentioned: Set<TestID> = []
        /// Tests without a result when the shard's time was over, other than the running ones.
        var leftOver: [TestID] = []
        var completion = Completion.due
        /// What the tests did to their references, or what could not be put back.
        var problem: Problem?

        /// Tests without a result that the programs have come to, as far as anybody can tell.
        var reached: Int { mentioned.union(started.keys).subtracting(finished).count }

        mutating func finish(_ result: TestResult) -> Bool {
            testSeconds += result.seconds
            if case .errored = result.ending { hasErrors = true }
            return finish(result.test)
        }

        /// False for a test that had a result already.
        mutating func finish(_ test: TestID) -> Bool { finished.insert(test).inserted }

        /// Returns the seconds before the first test, or `nil` if nothing says them.
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

    /// The beginning of a test.
    struct Start {
        /// Milliseconds since 1970.
        let at: Int64
        let instant = ContinuousClock.now
        let mark: HostLoadMeter.Mark
    }

    /// How far a lease's last word is.
    enum Completion {
        case due
        case sent(LeaseEvidence)
        case answered
    }
}
