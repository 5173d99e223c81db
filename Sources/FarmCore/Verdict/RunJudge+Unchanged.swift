// The judgement of a run that ran nothing, because an earlier run proves it green.

extension RunJudge {
    /// Returns the judgement of a run whose inputs and references are those of an earlier run's
    /// proof: every test case passes, with no attempt.
    package static func unchanged(
        _ facts: RunFacts,
        plan: Plan,
        _ earlier: ProvenBy
    ) -> JudgedRun {
        let proof = earlier.proof
        let tests = plan.shareKeys.map {
            TestEvidence(key: $0, verdict: .passed, note: "", attempts: [])
        }
        var counts = VerdictCounts()
        var byCell: [CellID: VerdictCounts] = [:]
        for test in tests {
            counts.add(.passed)
            byCell[test.key.cell, default: VerdictCounts()].add(.passed)
        }
        let summary = RunSummary(
            run: facts,
            state: .passed,
            exitCode: ExitCode.passed.rawValue,
            counts: counts,
            comparisons: ComparisonCounts(),
            cells: Judging.cells(of: plan, byCell),
            tests: rows(of: tests, plan: plan, raised: [:], startedAt: 0, logs: [:], red: []),
            snapshots: [],
            artifacts: [],
            problems: [
                Problem(
                    code: "unchanged",
                    message: "0 tests ran: no file of the repository and no program has changed "
                        + "since run \(earlier.run) of commit \(proof.commit.prefix(12)), and the "
                        + "pin names exactly its \(proof.count) pictures.",
                    remedy: "`--no-reuse` runs all tests."
                )
            ]
        )
        return JudgedRun(summary: summary, pictures: [:])
    }
}
