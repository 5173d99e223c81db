// The row of a test case in a run's summary: its fields, their sources, and their spelling in JSON.
// A new column of the report begins here; `PageText.numbers` words the numbers for people.

/// The row of a test case (a test on a cell) in `summary.json`.
package struct TestSummary: Hashable, Sendable, Codable {
    package var job: String
    package var cell: String
    package var test: String
    /// The test case's verdict, or `nil` if there is none; the run is then incomplete.
    package var verdict: Verdict?
    package var attempts: Int
    package var seconds: Double
    /// The framework's text about the failure, or the error's sentence; empty for a pass.
    package var message: String
    /// Whether the test chose not to run; it then counts as skipped, with the verdict `passed`.
    package var skipped: Bool
    /// The end of the test's own output; empty for passed and skipped tests.
    package var output: String
    package var worker: String
    /// The start of the test's last attempt, in seconds since the run's start.
    package var startedAt: Double
    /// The host's load during the test's last attempt; `nil` if it is unknown, and for plain
    /// passes.
    package var load: HostLoad?
    /// Whether the test makes the run red, by its job's rules and the quarantine; `nil` for a pass,
    /// and in summaries of older programs.
    package var isRed: Bool?
    /// The rows of the test's attempts, oldest first; `nil` for a test that passed at once, and in
    /// summaries of older programs.
    package var history: [AttemptSummary]?
    /// The id of the run that ran an inherited test; `nil` for a test that ran here.
    package var inheritedFrom: String?

    package init(
        job: String,
        cell: String,
        test: String,
        verdict: Verdict?,
        attempts: Int,
        seconds: Double,
        message: String = "",
        skipped: Bool = false,
        output: String = "",
        worker: String = "",
        startedAt: Double = 0
    ) {
        self.job = job
        self.cell = cell
        self.test = test
        self.verdict = verdict
        self.attempts = attempts
        self.seconds = seconds
        self.message = message
        self.skipped = skipped
        self.output = output
        self.worker = worker
        self.startedAt = startedAt
    }
}

/// The row of an attempt of a test.
package struct AttemptSummary: Hashable, Sendable, Codable {
    /// The verdict of this attempt alone, or `nil` if its worker was lost.
    package var verdict: Verdict?
    package var seconds: Double
    package var worker: String
    /// The first words about the attempt's fault; empty for a pass.
    package var message: String
    /// The path of the attempt's log, relative to the output folder; empty if its lease printed
    /// nothing.
    package var log: String

    package init(
        verdict: Verdict?,
        seconds: Double,
        worker: String,
        message: String = "",
        log: String = ""
    ) {
        self.verdict = verdict
        self.seconds = seconds
        self.worker = worker
        self.message = message
        self.log = log
    }
}

// MARK: sources

extension RunJudge {
    /// Returns the rows of `summary.tests`, sorted by job, cell, test.
    ///
    /// `plan` has the rules of each job, and is `nil` if it cannot be read; `raised` has the
    /// verdicts that the whole run made worse; `startedAt` is the run's start in milliseconds since
    /// 1970; `logs` has the paths of leases' logs, by lease number; `red` has the tests that make
    /// the run red, or is `nil` if they are unknown.
    package static func rows(
        of tests: [TestEvidence],
        plan: Plan?,
        raised: [TestKey: Verdict],
        startedAt: Int64,
        logs: [Int64: String],
        red: Set<TestKey>?
    ) -> [TestSummary] {
        let jobs = Dictionary((plan?.jobs ?? []).map { ($0.job.name, $0.job) }) { first, _ in first
        }
        let inherited = (plan?.inheritedKeys ?? []).map { ($0.key, $0.run) }
        let runs = Dictionary(inherited) { first, _ in first }
        return tests.sorted { $0.key < $1.key }.map { test in
            let report = test.report
            var row = TestSummary(
                job: test.key.job.text,
                cell: test.key.cell.text,
                test: test.key.test.text,
                verdict: test.verdict(raised: raised),
                attempts: test.attempts.count,
                seconds: report?.seconds ?? 0,
                message: test.message(log: test.lease.flatMap { logs[$0] }),
                skipped: test.skipped,
                output: report?.ending.isGood == false ? report?.output ?? "" : "",
                worker: test.attempts.last?.worker.text ?? "",
                startedAt: report.map { Double($0.startedAt - startedAt) / 1000 } ?? 0
            )
            row.load = report?.load
            row.isRed =
                row.verdict?.isAsExpected == true ? nil : red?.contains(test.key)
            row.history = test.history(jobs[test.key.job], plan?.mode ?? .verify, logs: logs)
            if test.verdict == .inherited { row.inheritedFrom = runs[test.key] }
            return row
        }
    }
}

extension TestEvidence {
    /// Returns the rows of the test's attempts, or `nil` for a test that passed at once or has no
    /// attempt, and for an unknown job.
    fileprivate func history(
        _ job: Job?,
        _ mode: RunMode,
        logs: [Int64: String]
    ) -> [AttemptSummary]? {
        guard let job, !attempts.isEmpty, attempts.count > 1 || verdict != .passed else {
            return nil
        }
        return attempts.map { attempt in
            let report = attempt.report
            return AttemptSummary(
                verdict: report.map { AttemptRules.verdict(of: $0, job: job, mode: mode) },
                seconds: report?.seconds ?? 0,
                worker: attempt.worker.text,
                message: AttemptNote(attempt).message,
                log: attempt.lease.flatMap { logs[$0] } ?? ""
            )
        }
    }
}

// MARK: spelling

extension TestSummary {
    /// Adds the members of the row to a line of `summary.json`, sorted by their keys.
    ///
    /// `Codable` reads these keys. Adding thousands of rows like this is many times faster than an
    /// encoder.
    package func add(to row: inout JSONText) {
        row.add("attempts", attempts)
        row.add("cell", cell)
        if let history { row.add("history", list: history) { $1.add(to: &$0) } }
        if let inheritedFrom { row.add("inheritedFrom", inheritedFrom) }
        row.add("isRed", isRed)
        row.add("job", job)
        if let load {
            row.add("load") {
                $0.add("source", load.source.rawValue)
                $0.add("waiting", load.waiting)
            }
        }
        row.add("message", message)
        row.add("output", output)
        row.add("seconds", seconds)
        row.add("skipped", skipped)
        row.add("startedAt", startedAt)
        row.add("test", test)
        row.add("verdict", verdict?.rawValue)
        row.add("worker", worker)
    }
}

extension AttemptSummary {
    fileprivate func add(to row: inout JSONText) {
        row.add("log", log)
        row.add("message", message)
        row.add("seconds", seconds)
        row.add("verdict", verdict?.rawValue)
        row.add("worker", worker)
    }
}
