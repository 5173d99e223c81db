// Test cases that an earlier run had and that this plan has not: deleted on purpose, or lost by a
// discovery that went wrong. They are fixed in the plan when the run is opened, so that its verdict
// follows from the plan, the reports and the references alone (I6).

/// The tests of the last complete run that a plan lacks.
package struct LostTests: Hashable, Sendable, Codable {
    /// The earlier run.
    package var run: String
    /// The earlier run's branch or commit if it is another one, else `nil`: `branch main`.
    ///
    /// The tests of another branch or commit prove nothing about this run.
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
