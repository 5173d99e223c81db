// The result of a run that ended and that nobody can judge: its references are gone, or what was
// written down of it is not what a run leaves.

extension RunJudge {
    /// What is known of such a run: its tests as they stand, and why nothing follows from them.
    ///
    /// `plan` is nil, and `tests` are empty, where they cannot be read. No picture is shown: whether
    /// one is as expected is what nobody can say.
    package static func unjudgeable(
        _ facts: RunFacts,
        plan: Plan?,
        tests: [TestEvidence],
        startedAt: Int64,
        because reason: Problem
    ) -> JudgedRun {
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
    /// Said of a run that was closed without a judgement.
    package static func unjudgeable(_ reason: Problem) -> Problem {
        Problem(
            code: "run-unjudgeable",
            message: "the run cannot be judged: \(reason.message)",
            remedy: "\(reason.remedy) Then run again."
        )
    }

    /// Said of a run that is still open, and whose judgement is tried again.
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
