// The rule for failures on overloaded hosts: such a failure does not count until the test has run
// once more, isolated. The second result stands.
extension TestReport {
    /// Whether the test ran on an overloaded host.
    package var isOverloaded: Bool { load?.isOverloaded == true }

    /// Whether lack of CPU time on the host can have caused a report with this bad verdict.
    ///
    /// It can cause a wrong or unfinished picture, a time-out, and a failed assertion in a job with
    /// retries; it does not cause a crash.
    fileprivate func mayBeStarved(_ verdict: Verdict, job: Job) -> Bool {
        switch ending {
        case .errored: ending.isTimeOut
        case .failed where verdict == .failed: job.retries > 0
        case .failed, .changed, .new, .passed, .skipped: true
        }
    }
}

extension TestEnding {
    /// Whether a time limit ended the test.
    package var isTimeOut: Bool {
        guard case .errored(let problem) = self else { return false }
        return Self.timeOuts.contains(problem.code)
    }

    private static let timeOuts: Set = ["test-timed-out", "shard-timed-out", "wait-timed-out"]
}

extension AttemptRules {
    /// Whether a report is a failure that the host's overload may have caused.
    static func isStarved(_ report: TestReport, job: Job, mode: RunMode) -> Bool {
        let verdict = verdict(of: report, job: job, mode: mode)
        return report.isOverloaded && isFailure(verdict) && report.mayBeStarved(verdict, job: job)
    }

    /// Whether the last report is the first of the test case that the host's overload may have
    /// caused.
    static func isFirstStarved(_ reports: [TestReport], job: Job, mode: RunMode) -> Bool {
        guard let last = reports.last, isStarved(last, job: job, mode: mode) else { return false }
        return !reports.dropLast().contains { isStarved($0, job: job, mode: mode) }
    }

    /// Returns the reason why a test case is flaky: attempt `place` (from 1) was `bad`, and the
    /// last one passed.
    static func flakyNote(_ reports: [TestReport], place: Int, bad: Verdict) -> String {
        let report = reports[place - 1]
        guard let load = report.load, load.isOverloaded else {
            return "attempt \(place) was \(bad.rawValue), attempt \(reports.count) passed."
        }
        return "attempt \(place) was \(bad.rawValue) on an overloaded host (\(load.words)), "
            + "attempt \(reports.count) passed."
    }
}
