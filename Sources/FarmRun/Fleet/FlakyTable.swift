// The list of flaky tests that people read: each with what it did, run by run.
import FarmCore
import FarmTerminal

/// Flaky tests as lines for people.
package enum FlakyTable {
    /// Runs that are shown of one test; `--json` has more.
    private static let resultsMax = 5

    package static func lines(_ found: FlakyTests) -> [String] {
        found.tests.flatMap { test in [head(test)] + test.evidence.prefix(resultsMax).map(line) }
    }

    /// `App/CartTests/testEmpty on iPhone-8_13.1 (job snapshots): flaky in 3 of 20 runs`.
    private static func head(_ test: FlakyTest) -> String {
        var facts: [String] = []
        if test.flakyRuns > 0 {
            facts.append("flaky in \(test.flakyRuns) of \(Amount.count(test.runs, "run"))")
        }
        if test.disputedCommits > 0 {
            let commits = Amount.count(test.disputedCommits, "commit")
            facts.append("passed one run of a commit and not another, on \(commits)")
        }
        return "\(test.test) on \(test.cell) (job \(test.job)): "
            + facts.joined(separator: "; ")
    }

    private static func line(_ result: TestVerdicts.Result) -> String {
        let attempts = result.attempts.map { attempt in
            let first = attempt.message.prefix { !$0.isNewline }
            return "\(attempt.ending) on \(attempt.worker)" + (first.isEmpty ? "" : ": \(first)")
        }
        let commit = result.commit.isEmpty ? "" : " \(result.commit.prefix(12))"
        return "    \(result.run)\(commit) \(result.verdict.rawValue)"
            + (attempts.isEmpty ? "" : " — \(attempts.joined(separator: "; "))")
    }
}
