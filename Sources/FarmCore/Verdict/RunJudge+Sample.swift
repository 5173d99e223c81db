// The test cases that could be inherited and run all the same: one that differs from what would
// have been inherited shows that an input is missing.

extension RunEvidence {
    /// The sampled test cases whose verdict or picture differs from what would have been inherited.
    ///
    /// One that did not get to a verdict, or is flaky, shows nothing.
    var differingSamples: [UnchangedInputs.Sampled] {
        guard let sample = plan.inherited?.unchanged?.sample else { return [] }
        let known = Dictionary(tests.map { ($0.key, $0) }) { first, _ in first }
        return sample.filter { sampled in
            guard let test = known[sampled.key], let verdict = test.verdict else { return false }
            switch verdict {
            case .unreached, .flaky, .inherited: return false
            case .passed: return test.skipped || test.reusedPictures != sampled.pictures
            case .failed, .errored, .changed, .missing, .new, .moved: return true
            }
        }
    }
}

extension Judging {
    /// Adds a problem for each job with a sampled test case that differs; it makes the run red.
    mutating func checkSample() {
        let differing = Dictionary(grouping: evidence.differingSamples, by: \.key.job)
        let suspects = evidence.plan.inherited?.unchanged?.suspects
        for (job, tests) in differing.sorted(by: { $0.key < $1.key }) {
            problems.append(.inputMissing(job, tests.map(\.key).sorted(), suspects))
        }
    }
}

extension Problem {
    /// The code of the problem that tests read something that is not among their inputs.
    package static let inputMissingCode = "reuse-input-missing"

    fileprivate static func inputMissing(
        _ job: JobName,
        _ tests: [TestKey],
        _ suspects: [String]?
    ) -> Problem {
        let named = tests.prefix(3).map { "\($0.test) on \($0.cell)" }.joined(separator: ", ")
        let rest = tests.count > 3 ? " and \(tests.count - 3) more" : ""
        let missing =
            switch suspects {
            case nil: "What is missing is not known, because the commits of these runs are not here"
            case []?:
                "No other file that Git knows has changed, so it is something else: an ignored file, "
                    + "a program, the network, the clock or chance"
            case let files?:
                "It may be one of the files that have changed since and are no inputs: "
                    + list(files, first: 5)
            }
        return Problem(
            code: inputMissingCode,
            message: "job \(job): inputs are missing, so verdicts that were inherited may be "
                + "wrong: \(named)\(rest) differed, although no known input has changed. "
                + "\(missing).",
            remedy: "Add it to the job's `inputs:`, or remove `reuse:`. The job inherits nothing "
                + "until a run of all tests is green: `snapfarm run --no-reuse`.",
            about: job.text
        )
    }

    /// Returns the first names of a list, and the number of the others.
    static func list(_ names: [String], count: Int? = nil, first most: Int) -> String {
        let shown = names.prefix(most)
        let rest = (count ?? names.count) - shown.count
        return shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }
}
