// Slow tests (stragglers): a test that takes far longer than expected does not delay the others,
// because idle workers take the tests that its lease has not started. Pure: the ledger passes the
// running tests in.
import FarmCore

/// A running test case, as far as its worker has reported it.
package struct RunningTest: Hashable, Sendable {
    /// The seconds since the test's lease was granted, or since that lease last reported a test or
    /// a new start.
    package var seconds: Double
    /// The seconds that the test took in earlier runs, or `nil` if unknown.
    package var learnedSeconds: Double?
    /// The mean seconds of a report of the test's job in this run, or `nil` if there are none.
    package var meanSeconds: Double?
    /// The expected time from the grant of a lease of the test's cell to its first test.
    package var start: LeaseStart = .none
    /// Whether the test is the first of its lease, so that the lease's start may be part of
    /// `seconds`.
    ///
    /// So it is if the lease has reported no test and named no other.
    package var isFirst: Bool = false
    /// The expected seconds of the tests that the test's lease has not started, or `nil` if
    /// unknown.
    package var restSeconds: Double?

    /// Whether the test takes far longer than expected, and another worker would run the lease's
    /// other tests sooner; `false` if no duration is expected.
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

    /// Whether the lease's tests that are not started take at least as long as the launch that
    /// another worker would need.
    private var isWorthLaunching: Bool {
        restSeconds.map { $0 * 1_000_000 >= Double(start.warm) } ?? true
    }
}
