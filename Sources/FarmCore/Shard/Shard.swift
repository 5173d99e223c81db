// A shard is what one worker runs under one lease: some test cases of one job on one cell. It is
// cut when a worker claims, not when the run is planned, so that no worker idles at the end.

/// The test cases one worker runs for one cell under one lease.
package struct Shard: Hashable, Sendable, Codable {
    package var run: RunID
    package var mode: RunMode
    package var job: Job
    package var cell: Cell
    package var tests: [TestID]
    /// What discovery prepared for the workers (a built test program's path), by the driver's keys.
    package var prepared: [String: String]
    /// Absolute path of the pipeline file's folder.
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
