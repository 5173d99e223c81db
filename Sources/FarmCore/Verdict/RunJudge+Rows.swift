// The rows of `summary.tests`: what a run says about each test case, in words and numbers.

extension RunJudge {
    /// The rows of `summary.tests`, sorted by job, cell, test.
    ///
    /// `raised` are the verdicts that the whole run made worse; `startedAt` is the run's start in
    /// milliseconds since 1970.
    package static func rows(
        of tests: [TestEvidence],
        raised: [TestKey: Verdict],
        startedAt: Int64
    ) -> [TestSummary] {
        tests.sorted { $0.key < $1.key }.map { test in
            let report = test.report
            return TestSummary(
                job: test.key.job.text,
                cell: test.key.cell.text,
                test: test.key.test.text,
                verdict: test.verdict(raised: raised),
                attempts: test.attempts.count,
                seconds: report?.seconds ?? 0,
                message: test.message,
                skipped: test.skipped,
                output: report?.ending.isGood == false ? report?.output ?? "" : "",
                worker: test.attempts.last?.worker.text ?? "",
                startedAt: report.map { Double($0.startedAt - startedAt) / 1000 } ?? 0,
                load: report?.load
            )
        }
    }
}

extension TestEvidence {
    func verdict(raised: [TestKey: Verdict]) -> Verdict? {
        raised.isEmpty ? verdict : raised[key] ?? verdict
    }

    /// What a person reads about the test; empty for a pass.
    var message: String {
        var parts: [String] = []
        switch report?.ending {
        case .failed(let text), .skipped(let text): parts.append(text)
        case .errored(let problem): parts.append("\(problem.message) \(problem.remedy)")
        case .passed, nil: break
        }
        for capture in report?.pictures.captures ?? [] {
            if let problem = capture.problem {
                parts.append("\(capture.capture.id): \(problem.message) \(problem.remedy)")
            }
        }
        if let load = report?.load, load.isOverloaded, let verdict, AttemptRules.isFailure(verdict)
        {
            parts.append("the host was overloaded: \(load.words).")
        }
        if !note.isEmpty { parts.append(note) }
        return parts.joined(separator: "\n")
    }

    /// The test came to its own end, whatever it said.
    package var ranToItsEnd: Bool {
        switch report?.ending {
        case .passed, .failed, .skipped: true
        case .errored, nil: false
        }
    }

    package var skipped: Bool {
        if case .skipped = report?.ending { true } else { false }
    }
}
