// Stragglers: a test that takes far longer than it should keeps nobody waiting. Idle workers take
// the rest of its lease. Pure: the ledger shows what runs, this says what straggles.
import FarmCore

/// A test case that runs, as far as anybody knows.
package struct RunningTest: Hashable, Sendable {
    /// Seconds since its lease was granted, or since that lease's last report.
    package var seconds: Double
    /// Seconds that the test and the start on its cell took in earlier runs; nil: not known.
    package var learnedSeconds: Double?
    /// What a report of its job took on average in this run; nil: there was none.
    package var meanSeconds: Double?

    package init(seconds: Double, learnedSeconds: Double?, meanSeconds: Double?) {
        self.seconds = seconds
        self.learnedSeconds = learnedSeconds
        self.meanSeconds = meanSeconds
    }

    /// Whether it takes far longer than expected; false where nothing is expected.
    package var straggles: Bool {
        if let learnedSeconds {
            return seconds
                > max(FarmLimits.stragglerSecondsMin, FarmLimits.stragglerFactor * learnedSeconds)
        }
        guard let meanSeconds else { return false }
        return seconds
            > max(FarmLimits.stragglerUnlearnedSecondsMin, FarmLimits.stragglerFactor * meanSeconds)
    }
}
