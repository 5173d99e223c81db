// Stragglers: a test that takes far longer than it should keeps nobody waiting. Idle workers take
// what its lease has not started. Pure: the ledger shows what runs, this says what straggles.
import FarmCore

/// A test case that runs, as far as anybody knows.
package struct RunningTest: Hashable, Sendable {
    /// Seconds since its lease was granted, or since that lease last reported a test or named others
    /// that it had started.
    package var seconds: Double
    /// Seconds that the test took in earlier runs; nil: not known.
    package var learnedSeconds: Double?
    /// What a report of its job took on average in this run; nil: there was none.
    package var meanSeconds: Double?
    /// Before the first test of a lease on its cell.
    package var start: LeaseStart = .none
    /// Its lease has reported nothing and named no other test: the seconds may be the start's.
    package var isFirst: Bool = false
    /// What its lease has not started is expected to take; nil: not known.
    package var restSeconds: Double?

    /// Whether it takes far longer than expected, and another worker would run the rest sooner;
    /// false where nothing is expected.
    package var straggles: Bool {
        guard isWorthLaunching else { return false }
        if let learnedSeconds {
            return isLate(after: learnedSeconds, min: FarmLimits.stragglerSecondsMin)
        }
        guard let meanSeconds else { return false }
        return isLate(after: meanSeconds, min: FarmLimits.stragglerUnlearnedSecondsMin)
    }

    private func isLate(after expected: Double, min least: Double) -> Bool {
        let startSeconds = isFirst ? Double(start.cold) / 1_000_000 : 0
        return seconds > max(least, FarmLimits.stragglerFactor * (expected + startSeconds))
    }

    /// Left where it is, the rest delays the run by no more than it takes itself.
    private var isWorthLaunching: Bool {
        restSeconds.map { $0 * 1_000_000 >= Double(start.warm) } ?? true
    }
}
