// The seam between the farm and the ways to run tests. A driver turns a shard into results; it
// knows nothing of leases, references or verdicts.
import FarmCore

/// What discovery found in a job.
package struct Discovery: Sendable, Hashable {
    /// Every test case of the job, without duplicates, in the driver's order.
    package var tests: [TestID]
    /// What workers need to know (a built test program's path), by the driver's own keys.
    package var prepared: [String: String] = [:]
}

/// Where a shard runs and what it is given.
package struct LeaseFolders: Sendable, Hashable {
    /// `SNAPFARM_LEASE_DIR`: fresh and empty at the start of the lease; absolute.
    package var lease: String
    /// `SNAPFARM_CAPTURE_DIR`, inside it.
    package var captures: String
    /// `IMAGE_DIFF_DIR`, inside it.
    package var failureDiffs: String
    /// `SNAPSHOT_ARTIFACTS`, inside it.
    package var snapshotArtifacts: String
    /// `FB_REFERENCE_IMAGE_DIR`, without the `_64` that the framework adds.
    package var references: String
    /// What a framework's folders beside the sources hold while they are borrowed (see
    /// `BorrowedTree`); outside of `lease`.
    package var besideSources: String
    /// The lease's log; the driver appends everything its children print, under
    /// `FarmLimits.logBytesMax`.
    package var log: String

    package init(
        lease: String,
        captures: String,
        failureDiffs: String,
        snapshotArtifacts: String,
        references: String,
        besideSources: String,
        log: String
    ) {
        self.lease = lease
        self.captures = captures
        self.failureDiffs = failureDiffs
        self.snapshotArtifacts = snapshotArtifacts
        self.references = references
        self.besideSources = besideSources
        self.log = log
    }

    /// The layout below a folder that a lease has for itself; nothing is made.
    package init(in scratch: String) {
        let lease = scratch + "/lease"
        self.init(
            lease: lease,
            captures: lease + "/captures",
            failureDiffs: lease + "/FailureDiffs",
            snapshotArtifacts: lease + "/artifacts",
            references: lease + "/ReferenceImages",
            besideSources: scratch + "/sources",
            log: scratch + "/lease.log"
        )
    }

    /// The folders by the names that profiles of frameworks have for them.
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

/// What a driver says while a shard runs.
///
/// Events of one test come in order; every leased test that is not finished when the shard ends
/// is the worker's to report as errored.
package enum DriverEvent: Sendable {
    case started(TestID)
    /// The output of a process that runs many tests has named one that has no result yet: it was
    /// reached, as far as anybody can tell. Each test at most once, and nothing but the progress
    /// follows from it (see `MentionedTests`).
    case mentioned(TestID)
    case finished(TestResult)
    /// No process of the shard runs any more; what follows is read from what they left. May be
    /// left out: the end of the shard says the same.
    case programsEnded
    /// The shard's time was over before every test had a result, and what was `running` as far as
    /// the driver knows was ended; nothing more will run. Who is to blame, and who runs again, is
    /// the worker's to say.
    case timeOver(running: [TestID])
}

/// A way to run tests and make pictures.
package protocol TestDriver: Sendable {
    /// Lists every test case of a job, building first where that is needed.
    ///
    /// `workTree` is the absolute path of the pipeline file's folder, `scratch` an existing folder
    /// for files of the discovery (logs).
    ///
    /// - Throws: an ``ExplainedError``; an empty list is the caller's to judge.
    func discover(job: Job, workTree: String, scratch: String) async throws -> Discovery

    /// Runs the shard's tests, at most one at a time unless the program itself is parallel.
    ///
    /// Throws only when the shard as a whole could not be run (the program is missing, the
    /// browser does not start); what a test does wrong is that test's `errored`. Cancelling the
    /// task ends the whole process tree before this returns.
    func run(
        _ shard: Shard,
        folders: LeaseFolders,
        report: @escaping @Sendable (DriverEvent) async throws -> Void
    ) async throws

    /// What drew the pictures (browser, fonts, flags), as sorted key-value pairs; empty where the
    /// driver cannot know. Stored with a reference set; a mismatch is said clearly.
    func renderer() async -> [String: String]

    /// Removes what killed processes of the farm have left on this machine, of the kind that the
    /// driver makes (simulators).
    ///
    /// For a worker's start, beside its work; whoever has a job of the driver need not call it.
    func removeLeftovers() async

    /// Ends what tests of another run could change before the next shard (browsers).
    ///
    /// For a worker, when it goes from one run to another.
    func leaveRun() async

    /// Ends what the driver keeps warm between shards (browsers).
    func shutDown() async
}

extension TestDriver {
    package func renderer() async -> [String: String] { [:] }
    package func removeLeftovers() async {}
    package func leaveRun() async {}
    package func shutDown() async {}
}
