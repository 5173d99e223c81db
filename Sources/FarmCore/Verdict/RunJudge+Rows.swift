// The rows of `summary.tests`: what a run says about each test case, in words and numbers.
import Foundation

extension RunJudge {
    /// The rows of `summary.tests`, sorted by job, cell, test.
    ///
    /// `plan` says how each job judges, nil where nobody can read it; `raised` are the verdicts
    /// that the whole run made worse; `startedAt` is the run's start in milliseconds since 1970;
    /// `logs` has the paths of the logs of leases, by their numbers; `red` are the tests that make
    /// the run red, nil where nobody knows.
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
            return TestSummary(
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
                startedAt: report.map { Double($0.startedAt - startedAt) / 1000 } ?? 0,
                load: report?.load,
                isRed: test.verdict(raised: raised) == .passed ? nil : red?.contains(test.key),
                history: test.history(jobs[test.key.job], plan?.mode ?? .verify, logs: logs)
            )
        }
    }
}

extension TestEvidence {
    func verdict(raised: [TestKey: Verdict]) -> Verdict? {
        raised.isEmpty ? verdict : raised[key] ?? verdict
    }

    /// Its attempts; nil for a test that passed at once.
    func history(
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

    /// What a person reads about the test; empty for a pass.
    ///
    /// `log` is the path of the log of its last lease.
    func message(log: String?) -> String {
        var parts: [String] = []
        switch report?.ending {
        case .failed(let text), .changed(let text), .skipped(let text): parts.append(text)
        case .new(let text): parts += [Verdict.newWords, text]
        case .errored(let problem):
            let words = problem.isCrash ? lastWords : nil
            if let words, words.saysWhy { parts.append(words.line) }
            parts.append("\(problem.message) \(problem.remedy)")
            if let words, !words.saysWhy { parts.append("It printed last: \(words.line)") }
            if let log { parts.append("Log: \(log)") }
        case .passed, nil: break
        }
        for capture in report?.pictures.captures ?? [] {
            if let problem = capture.problem {
                parts.append("\(capture.capture.id): \(problem.message) \(problem.remedy)")
            }
        }
        if !note.isEmpty { parts.append(note) }
        if let load = report?.load, load.isOverloaded, let verdict, AttemptRules.isFailure(verdict)
        {
            parts.append(load.remark)
        }
        return parts.joined(separator: "\n")
    }

    /// What a process printed when it died: the line that says why, else its last one.
    private var lastWords: (line: String, saysWhy: Bool)? {
        let lines = (report?.output ?? "").split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }.filter { !$0.isEmpty }
        let cause = lines.last { CrashWords.areIn($0) }
        return (cause ?? lines.last).map {
            (line: String($0.prefix(Self.lastWordsMax)), saysWhy: cause != nil)
        }
    }

    /// Characters of a line that a person reads to its end.
    private static let lastWordsMax = 500

    /// The test came to its own end, whatever it said.
    package var ranToItsEnd: Bool {
        switch report?.ending {
        case .passed, .failed, .changed, .new, .skipped: true
        case .errored, nil: false
        }
    }

    package var skipped: Bool {
        if case .skipped = report?.ending { true } else { false }
    }
}

extension Problem {
    /// A process ended before its test did.
    fileprivate var isCrash: Bool {
        ["test-crashed", "exit-unexplained", "results-missing", "test-not-reported"].contains(code)
    }
}
