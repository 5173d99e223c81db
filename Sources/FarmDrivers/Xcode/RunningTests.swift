// Measures how long each test of a launch has run. Swift Testing may start all tests at once although one
// actor runs them in turn, so the time of a test begins when the last other one ended.
import FarmCore

/// The tests of one launch that have started and not ended.
struct RunningTests: Sendable {
    private var starts: [TestID: ContinuousClock.Instant] = [:]
    private var lastEnd: ContinuousClock.Instant?

    var tests: [TestID] { starts.keys.sorted() }

    mutating func start(_ test: TestID, at now: ContinuousClock.Instant) { starts[test] = now }

    mutating func end(_ test: TestID, at now: ContinuousClock.Instant) {
        if starts.removeValue(forKey: test) != nil { lastEnd = now }
    }

    mutating func endAll() { starts = [:] }

    /// Seconds since a test started; 0 for one that does not run.
    func seconds(of test: TestID, at now: ContinuousClock.Instant) -> Double {
        starts[test]?.duration(to: now).seconds ?? 0
    }

    /// The tests that had the machine for longer than `limitSeconds`.
    func overdue(limitSeconds: Double, at now: ContinuousClock.Instant) -> [TestID] {
        starts.filter { _, start in
            max(start, lastEnd ?? start).duration(to: now).seconds > limitSeconds
        }.keys.sorted()
    }
}
