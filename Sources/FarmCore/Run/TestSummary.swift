// The row of a test case in a run's summary: what it says, where that comes from, and how it is written.
// A column of the report begins here; what people read of it is `PageText.numbers`.

/// The row of a (test case × cell).
package struct TestSummary: Hashable, Sendable, Codable {
    package var job: String
    package var cell: String
    package var test: String
    /// Nil: it got no verdict, so the run is incomplete.
    package var verdict: Verdict?
    package var attempts: Int
    package var seconds: Double
    /// The framework's text or the error's sentence; empty for a pass.
    package var message: String
    /// True where the test chose not to run; its verdict is `passed`, and it is counted as skipped.
    package var skipped: Bool
    /// The end of the test's own output, for failures.
    package var output: String
    package var worker: String
    /// Seconds since the run's start at which the last attempt began.
    package var startedAt: Double
    /// The host's load during the last attempt; nil for plain passes, and where the load is unknown.
    package var load: HostLoad?
    /// It makes the run red, by its job's rules and the quarantine; nil for a pass, and where the
    /// program that wrote the summary did not say.
    package var isRed: Bool?
    /// Its attempts, oldest first; nil for a test that passed at once, and where the program that
    /// wrote the summary did not say.
    package var history: [AttemptSummary]?

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
    /// The verdict of this attempt alone; nil: its worker was lost.
    package var verdict: Verdict?
    package var seconds: Double
    package var worker: String
    /// The first words of what went wrong; empty for a pass.
    package var message: String
    /// The log of its lease, relative to the output folder; empty where nothing was printed.
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

// MARK: where it comes from

extension RunJudge {
    /// The rows of `summary.tests`, sorted by job, cell, test.
    ///
    /// `plan` says how each job judges, nil where it cannot be read; `raised` are the verdicts
    /// that the whole run made worse; `startedAt` is the run's start in milliseconds since 1970;
    /// `logs` has the paths of the logs of leases, by their numbers; `red` are the tests that make
    /// the run red, nil where they are unknown.
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
            row.isRed = row.verdict == .passed ? nil : red?.contains(test.key)
            row.history = test.history(jobs[test.key.job], plan?.mode ?? .verify, logs: logs)
            return row
        }
    }
}

extension TestEvidence {
    /// Its attempts; nil for a test that passed at once.
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

// MARK: how it is written

extension TestSummary {
    /// Adds the members of the row to a line of `summary.json`, sorted by their keys.
    ///
    /// `Codable` reads these keys. Thousands of rows are many times quicker written like this than
    /// encoded.
    package func add(to row: inout JSONText) {
        row.add("attempts", attempts)
        row.add("cell", cell)
        if let history { row.add("history", list: history) { $1.add(to: &$0) } }
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
