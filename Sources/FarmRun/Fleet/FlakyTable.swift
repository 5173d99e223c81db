// The list of flaky tests for people: each test with its results, run by run.
import FarmCore

/// Formats flaky tests as lines for people.
package enum FlakyTable {
    /// The most runs shown for one test; `--json` has more.
    private static let resultsMax = 5
    /// The most workers named in one line.
    private static let workersMax = 3

    package static func lines(_ found: FlakyTests) -> [String] {
        found.tests.flatMap { test in
            let wrong = test.evidence.filter { $0.verdict != .passed }.prefix(resultsMax)
            return [head(test)] + wrong.map(line) + passes(test)
        }
    }

    /// Returns one line with the runs in which the test passed, or none if there is no such run.
    private static func passes(_ test: FlakyTest) -> [String] {
        let passed = test.evidence.filter { $0.verdict == .passed }
        guard !passed.isEmpty else { return [] }
        let names = passed.prefix(resultsMax).map(\.run.text).joined(separator: ", ")
        let rest = passed.count > resultsMax ? " …" : ""
        return ["    passed in \(Amount.count(passed.count, "run")): \(names)\(rest)"]
    }

    /// Returns a test's first line, such as `App/CartTests/testEmpty on iPhone-8_13.1 (job
    /// snapshots): flaky in 3 of 20 runs`.
    private static func head(_ test: FlakyTest) -> String {
        var facts: [String] = []
        if test.flakyRuns > 0 {
            facts.append("flaky in \(test.flakyRuns) of \(Amount.count(test.runs, "run"))")
        }
        if test.disputedCommits > 0 {
            let commits = Amount.count(test.disputedCommits, "commit")
            facts.append("passed one run of a commit and not another, on \(commits)")
        }
        if test.mendedFailures > 1 {
            facts.append("failed and passed again \(test.mendedFailures) times")
        }
        return "\(test.test) on \(test.cell) (job \(test.job)): "
            + facts.joined(separator: "; ")
    }

    private static func line(_ result: TestVerdicts.Result) -> String {
        let commit = result.commit.isEmpty ? "" : " \(result.commit.prefix(12))"
        let attempts = grouped(result.attempts)
        return "    \(result.run)\(commit) \(result.verdict.rawValue)"
            + (attempts.isEmpty ? "" : " — \(attempts.joined(separator: "; "))")
    }

    /// Returns a text for each group of attempts with the same result, such as `passed 19 times on
    /// w1` or `changed on w1: S/two: …`.
    private static func grouped(_ attempts: [AttemptNote]) -> [String] {
        struct Deed: Hashable {
            let ending: String
            let words: String
        }
        var order: [Deed] = []
        var workers: [Deed: [String]] = [:]
        for attempt in attempts {
            let isChanged = attempt.ending == "passed" && attempt.pictures != nil
            let deed = Deed(ending: isChanged ? "changed" : attempt.ending, words: words(attempt))
            if workers[deed] == nil { order.append(deed) }
            workers[deed, default: []].append(attempt.worker.text)
        }
        return order.map { deed in
            let all = workers[deed] ?? []
            let names = all.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
            let times = all.count > 1 ? " \(all.count) times" : ""
            return "\(deed.ending)\(times) on \(names.prefix(workersMax).joined(separator: ", "))"
                + (names.count > workersMax ? " …" : "")
                + (deed.words.isEmpty ? "" : ": \(deed.words)")
        }
    }

    /// Returns the first line of the attempt's message, and the pictures that were not as expected.
    private static func words(_ attempt: AttemptNote) -> String {
        let first = String(attempt.message.prefix { !$0.isNewline })
        let pictures = (attempt.pictures ?? []).map { picture in
            let words = picture.words.isEmpty ? "differs" : picture.words
            return "\(picture.snapshot): \(words)"
        }
        return ([first].filter { !$0.isEmpty } + pictures).joined(separator: ", ")
    }
}
