// Test cases that an earlier run had and that this plan has not: deleted on purpose, or lost by a
// discovery that went wrong. They are fixed in the plan when the run is opened, so that its verdict
// follows from the plan, the reports and the references alone (I6).

/// The tests of the last complete run that a plan lacks.
package struct LostTests: Hashable, Sendable, Codable {
    /// The earlier run.
    package var run: String
    /// What the earlier run was of, where that proves nothing of this run; nil: it does.
    ///
    /// `branch main`, which may have tests that this branch never had, or `commit 12ab34cd`.
    package var other: String?
    /// By job, sorted; empty where it had no more.
    package var tests: [String: [TestID]]

    package init(run: String, other: String? = nil, tests: [String: [TestID]]) {
        self.run = run
        self.other = other
        self.tests = tests
    }

    package func tests(of job: JobName) -> [TestID] { tests[job.text] ?? [] }
}
