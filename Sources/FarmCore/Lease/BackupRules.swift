// Stragglers: a test that takes far longer than it should keeps nobody waiting. A worker that has
// nothing to do gets what waits behind it, and then the test itself once more; the first report
// decides, the other is told to stop (backup tasks, Dean and Ghemawat 2004). Pure: the ledger shows
// what runs, this says what straggles.

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
}

package enum BackupRules {
    /// Whether a second run of a job's tests changes nothing but the time at which they end.
    ///
    /// Recording takes pictures twice by itself, and beside an exclusive job nothing runs.
    package static func applies(to job: Job, mode: RunMode) -> Bool {
        mode == .verify && !job.exclusive
    }

    /// Seconds by which a test is later than any that only takes its time; nil: it is not, or
    /// nothing says what it should take.
    package static func overrun(of test: RunningTest) -> Double? {
        let limit: Double
        if let learned = test.learnedSeconds {
            limit = max(FarmLimits.backupSecondsMin, FarmLimits.backupFactor * learned)
        } else if let mean = test.meanSeconds {
            limit = max(FarmLimits.backupUnlearnedSecondsMin, FarmLimits.backupFactor * mean)
        } else {
            return nil
        }
        return test.seconds > limit ? test.seconds - limit : nil
    }
}
