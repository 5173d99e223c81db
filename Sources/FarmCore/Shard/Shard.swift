// A shard: some test cases of one job on one cell, which one worker runs under one lease. It is cut
// when a worker claims, and not when the run is planned, so that no worker idles at the end.

/// The test cases of one cell that one worker runs under one lease.
package struct Shard: Hashable, Sendable, Codable {
    package var run: RunID
    package var mode: RunMode
    package var job: Job
    package var cell: Cell
    package var tests: [TestID]
    /// The facts that discovery found for the workers (such as a built program's path), by the
    /// driver's own keys.
    package var prepared: [String: String]
    /// The absolute path of the pipeline file's folder.
    package var workTree: String

    package init(
        run: RunID,
        mode: RunMode,
        job: Job,
        cell: Cell,
        tests: [TestID],
        prepared: [String: String],
        workTree: String
    ) {
        self.run = run
        self.mode = mode
        self.job = job
        self.cell = cell
        self.tests = tests
        self.prepared = prepared
        self.workTree = workTree
    }
}
