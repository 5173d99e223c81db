// Stragglers: a test that takes far longer than it should keeps nobody waiting. Idle workers take
// the rest of its lease. Pure: the ledger shows what runs, this says what straggles.

/// A test case that runs, as far as anybody knows.
package struct RunningTest: Hashable, Sendable {
    /// Since its lease was granted or last brought a report.
    package var seconds: Double
    /// Of the test and of what its worker may have had to start, from earlier runs; nil: not known.
    package var learnedSeconds: Double?
    /// What a report of its job took on average in this run; nil: there was none.
    package var meanSeconds: Double?

    package init(seconds: Double, learnedSeconds: Double?, meanSeconds: Double?) {
        self.seconds = seconds
        self.learnedSeconds = learnedSeconds
        self.meanSeconds = meanSeconds
    }

    /// Whether it is later than any test that only takes its time; false where nothing says what it
    /// should take.
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
