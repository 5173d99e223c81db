// The evidence of a run, as plain values: the plan, the reports, and the references of the pin. Its
// verdict depends on nothing else, so judging it again gives the same summary.

/// A planned test case with its attempts.
package struct TestEvidence: Hashable, Sendable, Codable {
    package var key: TestKey
    /// The test case's verdict, or `nil` if it has none yet.
    package var verdict: Verdict?
    package var note: String
    /// The test case's attempts, oldest first.
    package var attempts: [Attempt]
    /// The number of the last attempt's lease, or `nil` if it is unknown.
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

    /// The last attempt's report, on which the verdict is based, or `nil` if there is none.
    package var report: TestReport? { attempts.last?.report }
}

/// The measured time from a lease's arrival at its worker to its first test.
package struct MeasuredStart: Hashable, Sendable, Codable {
    package var seconds: Double
    /// Whether the worker's last lease was of the same cell, so that nothing had to be booted.
    package var isWarm: Bool

    package init(seconds: Double, isWarm: Bool) {
        self.seconds = seconds
        self.isWarm = isWarm
    }
}

/// The evidence of a finished lease, in addition to its tests' own reports.
package struct LeaseEvidence: Hashable, Sendable, Codable {
    package var job: JobName
    package var cell: CellID
    /// The program that drew the lease's pictures; empty if the driver cannot know it.
    package var renderer: [String: String]
    /// The digest of the lease's log, or `nil` if nothing was printed.
    package var log: Digest?
    /// A problem that makes all results of the lease doubtful and the run red, or `nil` if there is
    /// none.
    package var problem: Problem?
    /// The host's load from the lease's first test to its last, or `nil` if it is unknown.
    package var load: HostLoad?
    /// The test cases of the lease that had no result when the shard's time was over, and did not
    /// cause the delay; they run in another lease.
    package var leftOver: [TestID]
    /// The measured start of the lease, or `nil` if the driver reported the start of no test.
    package var start: MeasuredStart?
    /// The lease's number, or `nil` before the ledger has set it.
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

    /// Decodes the evidence; that of older versions has no `leftOver` or `start`.
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

/// The references of one cell in the run's pin.
package struct CellReferences: Hashable, Sendable, Codable {
    package var references: [Reference]
    /// The record of each suite's folder, by the first folder below the cell.
    package var suites: [String: SuiteRecord]
    /// The older pictures whose references are used for pictures without one, or `nil` if there are
    /// none.
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

/// The possible predecessors of one cell's pictures, whose references are used for pictures without
/// one.
package struct CellPredecessors: Hashable, Sendable, Codable {
    /// The cell itself, and the cells of the matrix that it succeeds.
    package var cells: [Cell]
    package var renames: [RenameRule]
    /// The references of the succeeded cells; the cell's own are in ``CellReferences``.
    package var references: [Reference]

    package init(cells: [Cell], renames: [RenameRule], references: [Reference]) {
        self.cells = cells
        self.renames = renames
        self.references = references
    }
}

/// The evidence by which one run is judged.
package struct RunEvidence: Sendable {
    package var facts: RunFacts
    package var plan: Plan
    /// The run's test cases in plan order.
    package var tests: [TestEvidence]
    /// The evidence of the run's leases, in the order of their ends.
    package var leases: [LeaseEvidence]
    package var references: [CellID: CellReferences]
    package var cancelled: Bool
    /// The run's start, in milliseconds since 1970; the summary's times of tests count from it.
    package var startedAt: Int64
    /// The problems of the run as a whole, oldest first.
    package var incidents: [Problem]
    /// Pictures that may become references and whose takes differ in bytes, but match by their
    /// job's policy.
    package var alike: Set<SnapshotID> = []
    /// The earlier run that proves this one green, so that nothing ran; `nil` if the tests ran.
    package var provenBy: ProvenBy?

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

/// The addresses of one snapshot's pictures in the reference store and the blob store.
package struct PictureSources: Hashable, Sendable, Codable {
    /// The reference's object id in the reference store, or `nil` if there is none.
    package var reference: ObjectID?
    /// The digest of the framework's own copy of the reference in the blob store, or `nil`.
    package var referenceBlob: Digest?
    /// The capture's digest, or `nil` if there is none; its blob is stored unless its bytes equal
    /// the reference's.
    package var capture: Digest?
    package var captureIsReference: Bool
    package var diff: Digest?
    /// The digest of another take of an unstable picture in the blob store, or `nil` if there is
    /// none.
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

/// A judged run: its summary, and the addresses of its pictures and logs.
package struct JudgedRun: Hashable, Sendable, Codable {
    package var summary: RunSummary
    package var pictures: [String: PictureSources]
    /// The blobs of the leases' logs, by `<job>/<cell>-<number>.log`.
    package var logs: [String: Digest]
    /// The tests whose verdicts are worse than their own attempts, because of facts about the whole
    /// run (such as a missing reference).
    package var raised: [TestKey: Verdict]
    /// The tests that make the run red; `nil` in runs of older versions.
    package var red: Set<TestKey>?
    /// The paths of the leases' logs in the output folder, by the leases' numbers; `nil` in runs of
    /// older versions.
    package var logPaths: [Int64: String]?
    /// The result of recording in a record run; `nil` under verify.
    package var recording: RunRecording?
    /// The programs that drew the pictures of each job and cell; `nil` in runs of older versions.
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

/// The result of a record run: the set and pin that it wrote, and the changes of the set.
package struct RunRecording: Hashable, Sendable, Codable {
    /// The pin that names the new references.
    package var pin: ReferencePin
    /// The new reference set.
    package var set: ObjectID
    /// The changes of the set, by cell id.
    package var outcomes: [String: RecordingOutcome]

    package init(pin: ReferencePin, set: ObjectID, outcomes: [String: RecordingOutcome]) {
        self.pin = pin
        self.set = set
        self.outcomes = outcomes
    }

    /// The number of references that the recording added, in all cells.
    package var added: Int { outcomes.values.reduce(0) { $0 + $1.added.count } }
    package var changed: Int { outcomes.values.reduce(0) { $0 + $1.changed.count } }
    package var removed: Int { outcomes.values.reduce(0) { $0 + $1.removed.count } }
    package var unchanged: Int { outcomes.values.reduce(0) { $0 + $1.unchangedCount } }
}
