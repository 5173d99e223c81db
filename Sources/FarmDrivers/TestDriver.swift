// The interface between the farm and the ways to run tests. A driver turns a shard into results; it
// knows nothing of leases, references or verdicts.
import FarmCore

/// The result of a job's discovery.
package struct Discovery: Sendable, Hashable {
    /// Every test case of the job, without duplicates, in the driver's order.
    package var tests: [TestID]
    /// Facts that workers need, such as the path of a built test program, by keys of the driver.
    package var prepared: [String: String] = [:]
}

/// The folders in which a shard runs.
package struct LeaseFolders: Sendable, Hashable {
    /// The lease's folder, `SNAPFARM_LEASE_DIR`: absolute; new and empty at the start of the lease.
    package var lease: String
    /// The folder `SNAPFARM_CAPTURE_DIR`, inside `lease`.
    package var captures: String
    /// The folder `IMAGE_DIFF_DIR`, inside `lease`.
    package var failureDiffs: String
    /// The folder `SNAPSHOT_ARTIFACTS`, inside `lease`.
    package var snapshotArtifacts: String
    /// The folder `FB_REFERENCE_IMAGE_DIR`, without the `_64` that the framework adds.
    package var references: String
    /// The folder that holds, while they are borrowed, a framework's folders beside the sources
    /// (see `SourceTreeOverlay`); outside `lease`.
    package var besideSources: String
    /// The path of the lease's log.
    ///
    /// The driver appends everything that its children print, up to `FarmLimits.logBytesMax`.
    package var log: String
    /// The folder around all of these, which the lease has for itself; isolated tests get their home
    /// in it, and see no other file of it.
    package var own: String
    /// The folder that isolated tests see as the shard's work tree, or `nil` if it is the work tree
    /// itself.
    package var tree: String?
    /// Whether other leases use the work tree at the same time, so that isolated tests may change no
    /// file of it.
    package var isTreeShared = false

    /// Lays out the folders below a folder that a lease has for itself; creates none of them.
    package init(in scratch: String) {
        own = scratch
        lease = scratch + "/lease"
        captures = lease + "/captures"
        failureDiffs = lease + "/FailureDiffs"
        snapshotArtifacts = lease + "/artifacts"
        references = lease + "/ReferenceImages"
        besideSources = scratch + "/sources"
        log = scratch + "/lease.log"
    }

    /// The folders in the form in which profiles of frameworks name them.
    package var places: LeasePlaces {
        LeasePlaces(
            lease: lease,
            captures: captures,
            failures: failureDiffs,
            artifacts: snapshotArtifacts,
            references: references
        )
    }
}

/// An event that a driver reports while a shard runs.
///
/// Events of one test come in order. If a leased test is not finished when the shard ends, the
/// worker reports it as errored.
package enum DriverEvent: Sendable {
    case started(TestID)
    /// The output of a process that runs many tests has named a test without a result, which has
    /// therefore probably started.
    ///
    /// Reported at most once per test; only the progress follows from it (see `MentionedTests`).
    case mentioned(TestID)
    case finished(TestResult)
    /// All processes of the shard have ended; later results are read from files.
    ///
    /// May be left out: the end of the shard means the same.
    case programsEnded
    /// The shard's time was over before every test had a result.
    ///
    /// The tests that were `running`, as far as the driver knows, were ended, and nothing more will
    /// run. The worker decides which tests are to blame and which run again.
    case timeOver(running: [TestID])
}

/// Lists and runs the tests of jobs in one way, such as by a command or in a browser.
package protocol TestDriver: Sendable {
    /// Lists every test case of a job, after building if that is needed.
    ///
    /// `workTree` is the absolute path of the pipeline file's folder, `scratch` an existing folder
    /// for files of the discovery (logs).
    ///
    /// - Throws: an ``ExplainedError``. An empty list is no error here; the caller judges it.
    func discover(job: Job, workTree: String, scratch: String) async throws -> Discovery

    /// Runs the shard's tests, at most one at a time unless the program itself is parallel.
    ///
    /// Throws only if the shard as a whole could not run (the program is missing, the browser does
    /// not start); the fault of a test is that test's `errored`. Cancelling the task ends the whole
    /// process tree before this returns.
    func run(
        _ shard: Shard,
        folders: LeaseFolders,
        report: @escaping @Sendable (DriverEvent) async throws -> Void
    ) async throws

    /// Returns what drew the pictures (browser, fonts, flags) as key-value pairs; empty if the
    /// driver cannot know.
    ///
    /// The pairs are stored with a reference set, and a mismatch is reported.
    func renderer() async -> [String: String]

    /// Removes from this machine the things that the driver makes (simulators) and that killed
    /// processes of the farm have left.
    ///
    /// A worker calls it at its start, beside its work; a worker with a job of the driver need not.
    func removeLeftovers() async

    /// Ends the processes (browsers) that tests of one run may have changed, before the next run's
    /// shards.
    ///
    /// A worker calls it when it goes from one run to another.
    func leaveRun() async

    /// Ends the processes (browsers) that the driver keeps warm between shards.
    func shutDown() async
}

extension TestDriver {
    package func renderer() async -> [String: String] { [:] }
    package func removeLeftovers() async {}
    package func leaveRun() async {}
    package func shutDown() async {}
}
