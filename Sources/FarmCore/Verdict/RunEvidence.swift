// Everything a verdict over a run rests on, as plain values: the plan, what was reported, and the
// references of the pin. Judged again, the same evidence gives the same summary.

/// One planned (test case × cell) with all that happened to it.
package struct TestEvidence: Hashable, Sendable, Codable {
    package var key: TestKey
    /// Nil: it got no verdict yet.
    package var verdict: Verdict?
    package var note: String
    /// Oldest first.
    package var attempts: [Attempt]
    /// The number of the last attempt's lease; nil where it is not known.
    package var lease: Int64?

    package init(
        key: TestKey,
        verdict: Verdict?,
        note: String,
        attempts: [Attempt],
        lease: Int64? = nil
    ) {
        self.lease = lease
        self.key = key
        self.verdict = verdict
        self.note = note
        self.attempts = attempts
    }

    /// The report the verdict rests on.
    package var report: TestReport? { attempts.last?.report }
}

/// What passed from a lease's arrival at its worker to its first test.
package struct MeasuredStart: Hashable, Sendable, Codable {
    package var seconds: Double
    /// The worker's last lease was of the same cell: nothing was booted for this one.
    package var isWarm: Bool

    package init(seconds: Double, isWarm: Bool) {
        self.seconds = seconds
        self.isWarm = isWarm
    }
}

/// What a finished lease left beside its tests' own reports.
package struct LeaseEvidence: Hashable, Sendable, Codable {
    package var job: JobName
    package var cell: CellID
    /// What drew the lease's pictures; empty where the driver cannot know.
    package var renderer: [String: String]
    /// The lease's log among the blobs; nil where nothing was printed.
    package var log: Digest?
    /// What makes the lease's results doubtful as a whole; the run is red.
    package var problem: Problem?
    /// How busy the host was from the lease's first test to its last; nil where nobody can know.
    package var load: HostLoad?
    /// Test cases without a result when the shard's time was over, and not to blame for that: they
    /// run in another lease.
    package var leftOver: [TestID]
    /// Nil where the driver said of no test that it started.
    package var start: MeasuredStart?
    /// The lease's number; only the ledger sets it.
    package var lease: Int64?

    package init(
        job: JobName,
        cell: CellID,
        renderer: [String: String] = [:],
        log: Digest? = nil,
        problem: Problem? = nil,
        load: HostLoad? = nil,
        leftOver: [TestID] = [],
        start: MeasuredStart? = nil
    ) {
        self.job = job
        self.cell = cell
        self.renderer = renderer
        self.log = log
        self.problem = problem
        self.load = load
        self.leftOver = leftOver
        self.start = start
    }

    /// Ledgers hold evidence from before there was `leftOver` or `start`.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            job: try values.decode(JobName.self, forKey: .job),
            cell: try values.decode(CellID.self, forKey: .cell),
            renderer: try values.decode([String: String].self, forKey: .renderer),
            log: try values.decodeIfPresent(Digest.self, forKey: .log),
            problem: try values.decodeIfPresent(Problem.self, forKey: .problem),
            load: try values.decodeIfPresent(HostLoad.self, forKey: .load),
            leftOver: try values.decodeIfPresent([TestID].self, forKey: .leftOver) ?? [],
            start: try values.decodeIfPresent(MeasuredStart.self, forKey: .start)
        )
    }
}

/// The references of one cell at the run's pin.
package struct CellReferences: Hashable, Sendable, Codable {
    package var references: [Reference]
    /// By first folder below the cell.
    package var suites: [String: SuiteRecord]
    /// Where the references of pictures without one of their own may be; nil: nowhere.
    package var predecessors: CellPredecessors?

    package init(
        references: [Reference] = [],
        suites: [String: SuiteRecord] = [:],
        predecessors: CellPredecessors? = nil
    ) {
        self.references = references
        self.suites = suites
        self.predecessors = predecessors
    }
}

/// What the pictures of one cell may succeed.
package struct CellPredecessors: Hashable, Sendable, Codable {
    /// The cell itself, and the cells of the matrix that it succeeds.
    package var cells: [Cell]
    package var renames: [RenameRule]
    /// The pictures of the cells that it succeeds; its own are in ``CellReferences``.
    package var references: [Reference]

    package init(cells: [Cell], renames: [RenameRule], references: [Reference]) {
        self.cells = cells
        self.renames = renames
        self.references = references
    }
}

/// The evidence of one run.
package struct RunEvidence: Sendable {
    package var facts: RunFacts
    package var plan: Plan
    /// In plan order.
    package var tests: [TestEvidence]
    /// In the order the leases ended.
    package var leases: [LeaseEvidence]
    package var references: [CellID: CellReferences]
    package var cancelled: Bool
    /// Milliseconds since 1970 at which the run started; offsets of tests count from it.
    package var startedAt: Int64
    /// What happened to the run as a whole, oldest first.
    package var incidents: [Problem]
    /// Of a record run: pictures whose takes differ, but not by the policy of their job.
    package var alike: Set<SnapshotID> = []

    package init(
        facts: RunFacts,
        plan: Plan,
        tests: [TestEvidence],
        leases: [LeaseEvidence],
        references: [CellID: CellReferences],
        cancelled: Bool,
        startedAt: Int64,
        incidents: [Problem] = []
    ) {
        self.facts = facts
        self.plan = plan
        self.tests = tests
        self.leases = leases
        self.references = references
        self.cancelled = cancelled
        self.startedAt = startedAt
        self.incidents = incidents
    }
}

/// Where the bytes of one snapshot's pictures are found.
package struct PictureSources: Hashable, Sendable, Codable {
    /// In the reference store.
    package var reference: ObjectID?
    /// In the blob store: the framework's own copy of the reference.
    package var referenceBlob: Digest?
    /// In the blob store, unless it equals the reference byte for byte.
    package var capture: Digest?
    package var captureIsReference: Bool
    package var diff: Digest?
    /// In the blob store: another take of an unstable picture.
    package var earlier: Digest?

    package init(
        reference: ObjectID? = nil,
        referenceBlob: Digest? = nil,
        capture: Digest? = nil,
        captureIsReference: Bool = false,
        diff: Digest? = nil
    ) {
        self.reference = reference
        self.referenceBlob = referenceBlob
        self.capture = capture
        self.captureIsReference = captureIsReference
        self.diff = diff
    }
}

/// A judged run: the summary, and where its pictures are.
package struct JudgedRun: Hashable, Sendable, Codable {
    package var summary: RunSummary
    package var pictures: [String: PictureSources]
    /// Logs of the run's leases, by `<job>/<cell>-<number>.log`.
    package var logs: [String: Digest]
    /// Verdicts that only the whole run shows (a reference nobody made): worse than the test's own
    /// attempts said.
    package var raised: [TestKey: Verdict]
    /// Tests that make the run red; nil in runs of before this was kept.
    package var red: Set<TestKey>?
    /// Paths in the output folder of the logs of leases, by their numbers; nil as for `red`.
    package var logPaths: [Int64: String]?
    /// What a record run wrote; nil under verify.
    package var recording: RunRecording?
    /// What drew the pictures; nil in runs of before this was kept.
    package var renderers: [RunRenderer]?

    package init(
        summary: RunSummary,
        pictures: [String: PictureSources],
        logs: [String: Digest] = [:],
        raised: [TestKey: Verdict] = [:],
        red: Set<TestKey>? = nil,
        logPaths: [Int64: String]? = nil,
        recording: RunRecording? = nil,
        renderers: [RunRenderer]? = nil
    ) {
        self.summary = summary
        self.pictures = pictures
        self.logs = logs
        self.raised = raised
        self.red = red
        self.logPaths = logPaths
        self.recording = recording
        self.renderers = renderers
    }
}

/// What a record run wrote into the reference store.
package struct RunRecording: Hashable, Sendable, Codable {
    /// Names the new references.
    package var pin: ReferencePin
    /// The new reference set.
    package var set: ObjectID
    /// By cell id.
    package var outcomes: [String: RecordingOutcome]

    package init(pin: ReferencePin, set: ObjectID, outcomes: [String: RecordingOutcome]) {
        self.pin = pin
        self.set = set
        self.outcomes = outcomes
    }

    /// Pictures over all cells.
    package var added: Int { outcomes.values.reduce(0) { $0 + $1.added.count } }
    package var changed: Int { outcomes.values.reduce(0) { $0 + $1.changed.count } }
    package var removed: Int { outcomes.values.reduce(0) { $0 + $1.removed.count } }
    package var unchanged: Int { outcomes.values.reduce(0) { $0 + $1.unchangedCount } }
}
