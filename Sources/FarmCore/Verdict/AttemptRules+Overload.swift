// What a failure on a host that was too busy is worth: nothing, until the test has run once more
// with nothing else on its host. That second result stands.
extension TestReport {
    /// Said on a host that was too busy.
    package var isOverloaded: Bool { load?.isOverloaded == true }

    /// Such as a test that waits a fixed time says where it gets no CPU.
    ///
    /// A wrong or unfinished picture, a time-out, and a failed assertion of a job with retries; a
    /// crash is none of these.
    fileprivate func mayBeStarved(_ verdict: Verdict, job: Job) -> Bool {
        switch ending {
        case .errored(let problem): Self.timeOuts.contains(problem.code)
        case .failed where verdict == .failed: job.retries > 0
        case .failed, .changed, .new, .passed, .skipped: true
        }
    }

    static let timeOuts: Set = ["test-timed-out", "shard-timed-out", "wait-timed-out"]
}

extension AttemptRules {
    /// Whether a report is a failure that may be its host's.
    static func isStarved(_ report: TestReport, job: Job, mode: RunMode) -> Bool {
        let verdict = verdict(of: report, job: job, mode: mode)
        return report.isOverloaded && isFailure(verdict) && report.mayBeStarved(verdict, job: job)
    }

    /// Whether the last of some reports is the first that may be its host's: once per test case.
    static func isFirstStarved(_ reports: [TestReport], job: Job, mode: RunMode) -> Bool {
        guard let last = reports.last, isStarved(last, job: job, mode: mode) else { return false }
        return !reports.dropLast().contains { isStarved($0, job: job, mode: mode) }
    }

    /// Why a test case is flaky whose attempts of `place` (from 1) was `bad` and whose last passed.
    static func flakyNote(_ reports: [TestReport], place: Int, bad: Verdict) -> String {
        let report = reports[place - 1]
        guard let load = report.load, load.isOverloaded else {
            return "attempt \(place) was \(bad.rawValue), attempt \(reports.count) passed."
        }
        return "attempt \(place) was \(bad.rawValue) on an overloaded host (\(load.words)), "
            + "attempt \(reports.count) passed."
    }
}
