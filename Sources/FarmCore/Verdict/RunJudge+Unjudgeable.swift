// The result of an ended run that cannot be judged: its references are gone, or its stored evidence
// is damaged.

extension RunJudge {
    /// Returns the result of a run that cannot be judged: its tests' verdicts so far, and the
    /// reason.
    ///
    /// `plan` is `nil`, and `tests` are empty, if they cannot be read. The result has no pictures,
    /// because whether they are as expected is unknown.
    package static func unjudgeable(
        _ facts: RunFacts,
        plan: Plan?,
        tests: [TestEvidence],
        startedAt: Int64,
        because reason: Problem
    ) -> JudgedRun {
        let tests = tests + (plan?.inheritedTests ?? [])
        var counts = VerdictCounts()
        var byCell: [CellID: VerdictCounts] = [:]
        for test in tests {
            counts.add(test.verdict, isSkipped: test.skipped)
            byCell[test.key.cell, default: VerdictCounts()].add(
                test.verdict,
                isSkipped: test.skipped
            )
        }
        let summary = RunSummary(
            run: facts,
            state: .unjudgeable,
            exitCode: ExitCode.incomplete.rawValue,
            counts: counts,
            comparisons: ComparisonCounts(),
            cells: Judging.cells(of: plan, byCell),
            tests: rows(
                of: tests,
                plan: plan,
                raised: [:],
                startedAt: startedAt,
                logs: [:],
                red: nil
            ),
            snapshots: [],
            artifacts: [],
            problems: [.unjudgeable(reason)]
        )
        return JudgedRun(summary: summary, pictures: [:])
    }
}

extension Problem {
    /// Returns the problem of a run that was closed without a judgement.
    package static func unjudgeable(_ reason: Problem) -> Problem {
        Problem(
            code: "run-unjudgeable",
            message: "the run cannot be judged: \(reason.message)",
            remedy: "\(reason.remedy) Then run again."
        )
    }

    /// Returns the problem of a run that is still open and will be judged again.
    package static func notJudged(_ run: RunID, _ reason: Problem, tries: Int) -> Problem {
        let times = tries == 1 ? "once" : "\(tries) times"
        return Problem(
            code: notJudgedCode,
            message: "run \(run) has ended, and cannot be judged (tried \(times)): "
                + "\(reason.message)",
            remedy:
                "\(reason.remedy) It is tried again; `snapfarm cancel \(run)` ends it without a "
                + "judgement."
        )
    }

    package static let notJudgedCode = "run-not-judged"
}
