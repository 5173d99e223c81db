// The flaky tests of some runs, with their results as evidence. A test is flaky if its attempts in
// one run disagreed, if it passed in one run of a commit and failed in another, or if it failed and
// passed again on its branches more than once: once may be a fault that was mended.
import Foundation

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
        /// The code of a fault of the farm in a run of the same day, or `nil` if there was none.
        package var fault: String?

        /// The day of the run's start, `yyyy-mm-dd` in UTC.
        package var day: String { String(started.prefix(10)) }
        /// The seconds of the attempts that another one followed, if `attempts` does not have all.
        package var retries: Double?
        /// The seconds of the attempts that another one followed.
        package var retrySeconds: Double {
            retries ?? attempts.dropLast().reduce(0) { $0 + ($1.seconds ?? 0) }
        }

        package init(
            run: RunID,
            commit: String,
            branch: String,
            started: String,
            verdict: Verdict,
            attempts: [AttemptNote],
            fault: String? = nil
        ) {
            self.run = run
            self.commit = commit
            self.branch = branch
            self.started = started
            self.verdict = verdict
            self.attempts = attempts
            self.fault = fault
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
        /// The digest of the capture, or `nil` if none was kept.
        package var capture: String?
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
    /// The host of the worker, or `nil` if it is unknown.
    package var host: String?
    package var seconds: Double?
    /// The share of the busiest half second in which work waited for a CPU, 0…1, or `nil` if it was
    /// not measured.
    package var load: Double?

    /// Makes the note of an attempt that a history recorded.
    package init(
        worker: WorkerID,
        host: String?,
        ending: String,
        message: String,
        load: Double?
    ) {
        self.worker = worker
        self.host = host
        self.ending = ending
        self.message = message
        self.load = load
    }

    package init(_ attempt: Attempt, host: String? = nil) {
        worker = attempt.worker
        self.host = host
        seconds = attempt.report?.seconds
        load = attempt.report?.load?.waiting
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
            return AttemptNote.Picture(
                snapshot: id,
                words: comparison.difference?.words ?? "",
                capture: report.capture.digest.description
            )
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
    /// The most results in ``recent``.
    private static let recentMax = 50

    /// The result of a run in one word.
    package struct Mark: Hashable, Sendable, Codable {
        package var run: RunID
        package var started: String
        package var verdict: Verdict
    }

    package var job: JobName
    package var cell: CellID
    package var test: TestID
    /// The number of runs with a verdict about the test case.
    package var runs: Int
    /// The number of these runs in which the test case's attempts disagreed.
    package var flakyRuns: Int
    /// The number of commits on which the test case passed in one run and failed in another.
    package var disputedCommits: Int
    /// The number of rows of failures on a branch that a pass of the branch followed.
    package var mendedFailures: Int
    /// The number of times that the test was flaky on days without a fault of the farm: each flaky
    /// run, and each row of failures on a branch that a pass of its branch or commit contradicts.
    package var times: Int
    /// The number of hosts on which the test was bad then; a worker of an unknown host is one.
    package var hosts: Int
    /// The number of runs in which the test's verdict was bad.
    package var failedRuns: Int
    /// The seconds of all attempts that another one followed.
    package var retrySeconds: Double
    /// The newest results, newest first.
    package var recent: [Mark]
    /// The flaky results, and those of disputed commits and mended failures, newest first; at most
    /// `evidenceMax`, passes only if there is room.
    package var evidence: [TestVerdicts.Result]

    /// Makes the flaky test from a test case's verdicts, or returns `nil` if nothing shows that it
    /// is flaky.
    package init?(_ history: TestVerdicts) {
        let doubts = FlakyDoubts(history.results)
        let flaky = history.results.filter { $0.verdict == .flaky }
        let mended = doubts.rows.filter(\.isMended)
        guard !flaky.isEmpty || !doubts.disputed.isEmpty || mended.count > 1 else { return nil }
        job = history.job
        cell = history.cell
        test = history.test
        runs = history.results.count
        flakyRuns = flaky.count
        disputedCommits = doubts.disputed.count
        mendedFailures = mended.count
        let sound = FlakyDoubts(history.results.filter { $0.fault == nil })
        let bad = sound.flaky + sound.rows.flatMap(\.results)
        times = sound.flaky.count + sound.rows.count
        hosts = Set(bad.flatMap(\.attempts).filter(\.isBad).map { $0.host ?? $0.worker.text }).count
        failedRuns = history.results.count { Self.isBad($0.verdict) }
        retrySeconds = history.results.reduce(0) { $0 + $1.retrySeconds }
        recent = history.results.prefix(Self.recentMax).map {
            Mark(run: $0.run, started: $0.started, verdict: $0.verdict)
        }
        let inRows = Set(doubts.rows.flatMap(\.results).map(\.run))
        let all = history.results.filter {
            $0.verdict == .flaky || doubts.disputed.contains($0.commit) || inRows.contains($0.run)
        }
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

extension AttemptNote {
    /// Whether the attempt contradicts a pass.
    fileprivate var isBad: Bool {
        ["failed", "changed", "errored"].contains(ending) || pictures != nil
    }
}

/// The results of one test case that contradict each other.
private struct FlakyDoubts {
    /// Failures of one branch without another result between them.
    struct Failures {
        var results: [TestVerdicts.Result]
        /// Whether a later run of the branch passed.
        var isMended: Bool
    }

    let flaky: [TestVerdicts.Result]
    /// The commits on which the test passed in one run and was bad in another.
    let disputed: Set<String>
    /// The rows of failures that a later pass of the branch, or a pass of the same commit,
    /// contradicts.
    let rows: [Failures]

    /// Makes the doubts from results, newest first.
    init(_ results: [TestVerdicts.Result]) {
        flaky = results.filter { $0.verdict == .flaky }
        let disputed = Set(
            Dictionary(grouping: results.filter { !$0.commit.isEmpty }, by: \.commit).filter {
                $1.contains { $0.verdict == .passed }
                    && $1.contains { FlakyTest.isBad($0.verdict) }
            }.keys
        )
        self.disputed = disputed
        rows = Dictionary(grouping: results, by: \.branch).sorted { $0.key < $1.key }
            .flatMap { Self.rows(of: $1) }
            .filter { row in row.isMended || row.results.contains { disputed.contains($0.commit) } }
    }

    private static func rows(of branch: [TestVerdicts.Result]) -> [Failures] {
        var rows: [Failures] = []
        var isOpen = false
        for (index, result) in branch.enumerated() {
            let isBad = FlakyTest.isBad(result.verdict)
            if isBad, isOpen {
                rows[rows.count - 1].results.append(result)
            } else if isBad {
                let isMended = index > 0 && [.passed, .flaky].contains(branch[index - 1].verdict)
                rows.append(Failures(results: [result], isMended: isMended))
            }
            isOpen = isBad
        }
        return rows
    }
}

extension FlakyTest {
    /// A short name of the test case for addresses.
    package var id: String {
        let text = [job.text, cell.text, test.text].joined(separator: "\0")
        return String(Digest(of: Array(text.utf8)).hex.prefix(16))
    }

    /// The number of runs in which the test was bad or flaky.
    package var doubtfulRuns: Int { failedRuns + flakyRuns }

    /// The oldest result that is evidence and no pass, if its commit is known.
    package var since: TestVerdicts.Result? {
        evidence.last { $0.verdict != .passed }.flatMap { $0.commit.isEmpty ? nil : $0 }
    }
}

extension FlakyTests {
    /// The tests by the time they take: first those that failed most runs, which people look at,
    /// then those whose retries took machines longest.
    package var byCost: [FlakyTest] {
        tests.sorted { left, right in
            if left.failedRuns != right.failedRuns { return left.failedRuns > right.failedRuns }
            if left.retrySeconds != right.retrySeconds {
                return left.retrySeconds > right.retrySeconds
            }
            if left.times != right.times { return left.times > right.times }
            return (left.job, left.cell, left.test) < (right.job, right.cell, right.test)
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
