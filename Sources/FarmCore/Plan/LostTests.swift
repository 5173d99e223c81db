// Test cases of an earlier run that this plan lacks: deleted on purpose, or lost by a faulty
// discovery. The plan fixes them when the run is opened, so that its verdict depends only on the
// plan, the reports and the references (I6).

/// The tests of the last complete run that a plan lacks.
package struct LostTests: Hashable, Sendable, Codable {
    /// The id of the earlier run.
    package var run: String
    /// The earlier run's branch or commit, such as `branch main`, or `nil` if it is the same as
    /// this run's.
    ///
    /// The tests of another branch or commit prove nothing about this run.
    package var other: String?
    /// The lost tests by job, sorted; empty if there are none.
    package var tests: [String: [TestID]]

    package init(run: String, other: String? = nil, tests: [String: [TestID]]) {
        self.run = run
        self.other = other
        self.tests = tests
    }

    package func tests(of job: JobName) -> [TestID] { tests[job.text] ?? [] }
}
