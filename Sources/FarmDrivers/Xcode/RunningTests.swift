// Measures how long each test of a launch has run. Swift Testing may start all tests at once
// although one actor runs them in turn, so a test's time begins again whenever another one ends.
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

    /// Returns the seconds since a test started, or 0 if it does not run.
    func seconds(of test: TestID, at now: ContinuousClock.Instant) -> Double {
        starts[test]?.duration(to: now).seconds ?? 0
    }

    /// Returns the tests that have run for longer than `limitSeconds`, from their start or from the
    /// end of another test, if that is later.
    func overdue(limitSeconds: Double, at now: ContinuousClock.Instant) -> [TestID] {
        starts.filter { _, start in
            max(start, lastEnd ?? start).duration(to: now).seconds > limitSeconds
        }.keys.sorted()
    }
}
