// Which tests are flaky, and the evidence: what each did in the last runs. A test is flaky where its
// attempts in one run disagreed, or where it passed in one run of a commit and not in another.

/// What one test case did in runs that were looked at.
package struct TestVerdicts: Hashable, Sendable, Codable {
    /// One run that has a verdict about it.
    package struct Result: Hashable, Sendable, Codable {
        package var run: RunID
        package var commit: String
        package var branch: String
        /// ISO 8601.
        package var started: String
        package var verdict: Verdict
        /// Oldest first; of a plain pass none may be given.
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
    /// Newest first.
    package var results: [Result]

    package init(job: JobName, cell: CellID, test: TestID, results: [Result]) {
        self.job = job
        self.cell = cell
        self.test = test
        self.results = results
    }
}

/// One attempt in a few words.
package struct AttemptNote: Hashable, Sendable, Codable {
    /// A picture that was not as expected.
    package struct Picture: Hashable, Sendable, Codable {
        package var snapshot: String
        /// The difference in words, such as "recoloured; 1 region; 98.44 % of pixels", or the problem's
        /// message of a picture that could not be read.
        package var words: String
    }

    /// Characters of a message: the first lines of a failure.
    private static let charactersMax = 300
    private static let picturesMax = 5

    package var worker: WorkerID
    /// `passed`, `failed`, `changed`, `new`, `skipped`, `errored` or `lost`.
    package var ending: String
    /// The framework's text or the error's sentence; empty for a test that passed at once.
    package var message: String
    /// The first of those that were not as expected; nil for none.
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
    /// Results that are kept as evidence.
    package static let evidenceMax = 20

    package var job: JobName
    package var cell: CellID
    package var test: TestID
    /// Runs that have a verdict about it.
    package var runs: Int
    /// Of these, runs in which its attempts disagreed.
    package var flakyRuns: Int
    /// Commits of which it passed one run and not another.
    package var disputedCommits: Int
    /// What it did where it did not simply pass, and the passes beside those on the same commits;
    /// newest first.
    package var evidence: [TestVerdicts.Result]

    /// Nil where nothing says that the test is flaky.
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
        // Results that differed come first: newer passes must not push them out of the evidence.
        let wrong = all.filter { $0.verdict != .passed }.prefix(Self.evidenceMax)
        let passed = all.filter { $0.verdict == .passed }.prefix(Self.evidenceMax - wrong.count)
        let kept = Set(wrong.map(\.run)).union(passed.map(\.run))
        evidence = all.filter { kept.contains($0.run) }
    }

    /// What a change of the test or of the app can explain only where the commit is another.
    package static func isBad(_ verdict: Verdict) -> Bool {
        switch verdict {
        case .failed, .errored, .changed: true
        case .passed, .flaky, .new, .moved, .missing, .unreached: false
        }
    }
}

/// The flaky tests of some runs.
package struct FlakyTests: Hashable, Sendable, Codable {
    /// Runs that were looked at.
    package var runs: Int
    /// Those that were flaky most often first.
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

    /// Adds those of another data folder.
    package mutating func add(_ other: FlakyTests) {
        runs += other.runs
        tests += other.tests
    }
}
