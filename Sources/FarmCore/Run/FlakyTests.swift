// The flaky tests of some runs, with their results as evidence. A test is flaky if its attempts in
// one run disagreed, or if it passed in one run of a commit and failed in another.

/// The verdicts about one test case in some runs.
package struct TestVerdicts: Hashable, Sendable, Codable {
    /// The verdict of one run about the test case, with its attempts.
    package struct Result: Hashable, Sendable, Codable {
        package var run: RunID
        package var commit: String
        package var branch: String
        /// The start of the run, in ISO 8601.
        package var started: String
        package var verdict: Verdict
        /// The test case's attempts, oldest first; may be empty for a test that passed at once.
        package var attempts: [AttemptNote]

        package init(
            run: RunID,
            commit: String,
            branch: String,
            started: String,
            verdict: Verdict,
            attempts: [AttemptNote]
        ) {
            self.run = run
            self.commit = commit
            self.branch = branch
            self.started = started
            self.verdict = verdict
            self.attempts = attempts
        }
    }

    package var job: JobName
    package var cell: CellID
    package var test: TestID
    /// The verdicts of the runs, newest first.
    package var results: [Result]

    package init(job: JobName, cell: CellID, test: TestID, results: [Result]) {
        self.job = job
        self.cell = cell
        self.test = test
        self.results = results
    }
}

/// An attempt of a test in a few words.
package struct AttemptNote: Hashable, Sendable, Codable {
    /// A picture of the attempt that was not as expected.
    package struct Picture: Hashable, Sendable, Codable {
        package var snapshot: String
        /// The difference in words, such as "recoloured; 1 region; 98.44 % of pixels"; for a
        /// picture that could not be read, the problem's message.
        package var words: String
    }

    /// The most Unicode scalars of a message: the first lines of a failure.
    private static let charactersMax = 300
    private static let picturesMax = 5

    package var worker: WorkerID
    /// The attempt's ending: `passed`, `failed`, `changed`, `new`, `skipped`, `errored` or `lost`.
    package var ending: String
    /// The failure in the framework's words or the error's sentence; empty for a test that passed
    /// at once.
    package var message: String
    /// The first pictures that were not as expected, or `nil` if there are none.
    package var pictures: [Picture]?

    package init(_ attempt: Attempt) {
        worker = attempt.worker
        let wrong = attempt.report?.pictures.wrong.prefix(Self.picturesMax) ?? []
        pictures = wrong.isEmpty ? nil : Array(wrong)
        let words: String
        switch attempt.report?.ending {
        case .passed:
            ending = "passed"
            words = attempt.report?.earlierFailure.map { "failed first: \($0)" } ?? ""
        case .failed(let text): (ending, words) = ("failed", text)
        case .changed(let text): (ending, words) = ("changed", text)
        case .new(let text): (ending, words) = ("new", text)
        case .skipped(let text): (ending, words) = ("skipped", text)
        case .errored(let problem): (ending, words) = ("errored", problem.message)
        case nil: (ending, words) = ("lost", "the worker was lost")
        }
        message = String(words.unicodeScalars.prefix(Self.charactersMax))
    }
}

extension PictureReports {
    fileprivate var wrong: [AttemptNote.Picture] {
        let captured = captures.compactMap { report -> AttemptNote.Picture? in
            let id = report.capture.id.text
            if let problem = report.problem {
                return AttemptNote.Picture(snapshot: id, words: problem.message)
            }
            guard let comparison = report.comparison, !comparison.matches else { return nil }
            return AttemptNote.Picture(snapshot: id, words: comparison.difference?.words ?? "")
        }
        return captured
            + differences.map {
                AttemptNote.Picture(
                    snapshot: $0.id.text,
                    words: $0.comparison?.difference?.words ?? ""
                )
            }
    }
}

/// A flaky test case, with its evidence.
package struct FlakyTest: Hashable, Sendable, Codable {
    /// The most results that are kept as evidence of one test.
    package static let evidenceMax = 20

    package var job: JobName
    package var cell: CellID
    package var test: TestID
    /// The number of runs with a verdict about the test case.
    package var runs: Int
    /// The number of these runs in which the test case's attempts disagreed.
    package var flakyRuns: Int
    /// The number of commits on which the test case passed in one run and failed in another.
    package var disputedCommits: Int
    /// The flaky results, and those of disputed commits, newest first; at most `evidenceMax`,
    /// passes only if there is room.
    package var evidence: [TestVerdicts.Result]

    /// Makes the flaky test from a test case's verdicts, or returns `nil` if nothing shows that it
    /// is flaky.
    package init?(_ history: TestVerdicts) {
        let byCommit = Dictionary(grouping: history.results, by: \.commit)
        let disputed = byCommit.filter { commit, results in
            !commit.isEmpty && results.contains { $0.verdict == .passed }
                && results.contains { Self.isBad($0.verdict) }
        }
        let flaky = history.results.filter { $0.verdict == .flaky }
        guard !flaky.isEmpty || !disputed.isEmpty else { return nil }
        job = history.job
        cell = history.cell
        test = history.test
        runs = history.results.count
        flakyRuns = flaky.count
        disputedCommits = disputed.count
        let all = history.results.filter { $0.verdict == .flaky || disputed[$0.commit] != nil }
        // Other verdicts come first, so that newer passes do not push them out of the evidence.
        let wrong = all.filter { $0.verdict != .passed }.prefix(Self.evidenceMax)
        let passed = all.filter { $0.verdict == .passed }.prefix(Self.evidenceMax - wrong.count)
        let kept = Set(wrong.map(\.run)).union(passed.map(\.run))
        evidence = all.filter { kept.contains($0.run) }
    }

    /// Whether a verdict contradicts a pass of the same commit: one that needs a change of test or
    /// app.
    package static func isBad(_ verdict: Verdict) -> Bool {
        switch verdict {
        case .failed, .errored, .changed: true
        case .passed, .inherited, .flaky, .new, .moved, .missing, .unreached: false
        }
    }
}

/// The flaky tests of some runs.
package struct FlakyTests: Hashable, Sendable, Codable {
    /// The number of examined runs.
    package var runs: Int
    /// The flaky tests, those that were flaky most often first.
    package var tests: [FlakyTest]

    package init(runs: Int, histories: [TestVerdicts]) {
        self.runs = runs
        tests = histories.compactMap { FlakyTest($0) }.sorted { left, right in
            let (a, b) = (
                left.flakyRuns + left.disputedCommits, right.flakyRuns + right.disputedCommits
            )
            if a != b { return a > b }
            return (left.job, left.cell, left.test) < (right.job, right.cell, right.test)
        }
    }

    /// Adds the flaky tests that were found in another data folder.
    package mutating func add(_ other: FlakyTests) {
        runs += other.runs
        tests += other.tests
    }
}
