// The rule for equal changes or time-outs of one test in several cells: the proof in one cell
// counts for all. Otherwise, a page that hangs in every cell would cost its limit twice in each.

extension TestReport {
    /// Returns a name for the change of a test's pictures, or for its time-out, equal in all cells
    /// where the same happened.
    ///
    /// Returns `nil` if the test has another fault, or if a change has no fingerprint.
    ///
    /// The name is made of the test's name and the fingerprints of its changed pictures
    /// (``Explanation/fingerprint``), or the problem's code. Other tests never share it, because
    /// different changes may have equal fingerprints.
    package func changeName(job: Job, mode: RunMode) -> String? {
        if case .errored(let problem) = ending, ending.isTimeOut {
            return changeName([problem.code], of: job)
        }
        guard mode == .verify, AttemptRules.verdict(of: self, job: job, mode: mode) == .changed
        else { return nil }
        let captures = pictures.captures.filter {
            AttemptRules.pictureVerdict($0, job: job) != .passed
        }
        let isOnlyChanged = captures.allSatisfy {
            AttemptRules.pictureVerdict($0, job: job) == .changed
        }
        let comparisons = captures.map(\.comparison) + pictures.differences.map(\.comparison)
        let fingerprints = comparisons.map { $0?.difference?.explanation?.fingerprint ?? "" }
        guard isOnlyChanged, !fingerprints.isEmpty, !fingerprints.contains("") else { return nil }
        return changeName(fingerprints.sorted(), of: job)
    }

    private func changeName(_ facts: [String], of job: Job) -> String {
        let lines = [job.name.text, test.text] + facts
        return String(Digest(of: Array(lines.joined(separator: "\n").utf8)).hex.prefix(16))
    }
}
