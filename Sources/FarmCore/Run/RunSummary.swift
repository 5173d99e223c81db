// The machine-readable result of a run: `summary.json`. Its field names are a promise to scripts;
// changing one raises `schemaVersion`. Reports are pure functions of this value.

/// How a run stands.
package enum RunState: String, Hashable, Sendable, Codable, CaseIterable {
    case running, passed, failed, incomplete, cancelled
    /// It ended, and what its verdict needs cannot be read: no verdict of it counts.
    case unjudgeable
}

/// `summary.json`, version 1.
package struct RunSummary: Hashable, Sendable, Codable {
    package static let currentVersion = 1

    package var schemaVersion = RunSummary.currentVersion
    package var run: RunFacts
    package var state: RunState
    package var exitCode: Int32
    package var counts: VerdictCounts
    package var comparisons: ComparisonCounts
    package var cells: [CellSummary]
    /// Sorted by job, cell, test.
    package var tests: [TestSummary]
    /// Sorted by snapshot id.
    package var snapshots: [SnapshotSummary]
    package var artifacts: [ArtifactSummary]
    package var problems: [Problem]
    /// What is bad and does not count; nil where nothing is.
    package var quarantined: [QuarantinedSummary]?
    /// What leases took before their first tests, sorted by job, then cell; nil where none said.
    package var starts: [StartSummary]?

    package init(
        run: RunFacts,
        state: RunState,
        exitCode: Int32,
        counts: VerdictCounts,
        comparisons: ComparisonCounts,
        cells: [CellSummary],
        tests: [TestSummary],
        snapshots: [SnapshotSummary],
        artifacts: [ArtifactSummary],
        problems: [Problem],
        quarantined: [QuarantinedSummary]? = nil,
        starts: [StartSummary]? = nil
    ) {
        self.run = run
        self.state = state
        self.exitCode = exitCode
        self.counts = counts
        self.comparisons = comparisons
        self.cells = cells
        self.tests = tests
        self.snapshots = snapshots
        self.artifacts = artifacts
        self.problems = problems
        self.quarantined = quarantined
        self.starts = starts
    }
}

/// What a run is.
///
/// Times are ISO 8601 in UTC with milliseconds; texts are empty where unknown.
package struct RunFacts: Hashable, Sendable, Codable {
    package var id: String
    package var key: String
    package var pipeline: String
    package var mode: RunMode
    package var filtered: Bool
    package var commit: String
    package var branch: String
    package var pullRequest: String
    /// The reference set the run compared against: its commit id, or empty.
    package var set: String
    /// `sha256:` digest of the plan.
    package var planDigest: String
    package var started: String
    package var finished: String
    /// `INDEX/TOTAL` of a run that did one machine's share of its plan; nil for a whole run.
    package var shard: String?
    /// The CI's own page of the job that ran it; nil where the CI does not tell.
    package var page: String?
    /// What `--select` took, as ``Selection/name``; nil where nothing was left out.
    package var part: String?

    private enum CodingKeys: String, CodingKey {
        case id
        case key
        case pipeline
        case mode
        case filtered
        case commit
        case branch
        case pullRequest
        case set = "pin"
        case planDigest
        case started
        case finished
        case shard
        case page
        case part
    }

    package init(
        id: String,
        key: String,
        pipeline: String,
        mode: RunMode,
        filtered: Bool,
        commit: String,
        branch: String,
        pullRequest: String,
        set: String,
        planDigest: String,
        started: String,
        finished: String,
        shard: String? = nil,
        page: String? = nil,
        part: String? = nil
    ) {
        self.id = id
        self.key = key
        self.pipeline = pipeline
        self.mode = mode
        self.filtered = filtered
        self.commit = commit
        self.branch = branch
        self.pullRequest = pullRequest
        self.set = set
        self.planDigest = planDigest
        self.started = started
        self.finished = finished
        self.shard = shard
        self.page = page
        self.part = part
    }
}

extension RunFacts {
    /// The name of a run that is a part of its pipeline, for people; nil for a whole run.
    package var partName: String? {
        // Before `part` was known, a run said only that it was one.
        let selected = part ?? (filtered ? "selection" : nil)
        let names = [selected, shard.map { "shard \($0)" }].compactMap(\.self)
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }

    /// What a merge calls this run's output; nil for a run that is none of its parts.
    ///
    /// A record run by `--select` has written its references itself.
    package var shareName: String? { shard ?? (mode == .verify ? part : nil) }
}

/// Verdicts of (test case × cell); together they are the planned ones.
package struct VerdictCounts: Hashable, Sendable, Codable {
    package var planned = 0
    /// Without the skipped ones, whose verdict is `passed`, too.
    package var passed = 0
    /// Those that chose not to run; they make no run red.
    package var skipped = 0
    package var changed = 0
    package var moved = 0
    package var new = 0
    package var missing = 0
    package var unreached = 0
    package var flaky = 0
    package var failed = 0
    package var errored = 0
    package var withoutVerdict = 0

    package init() {}

    /// Counts one planned (test case × cell); nil has no verdict.
    package mutating func add(_ verdict: Verdict?, isSkipped: Bool = false) {
        planned += 1
        switch verdict {
        case nil: withoutVerdict += 1
        case .passed where isSkipped: skipped += 1
        case .passed: passed += 1
        case .changed: changed += 1
        case .moved: moved += 1
        case .new: new += 1
        case .missing: missing += 1
        case .unreached: unreached += 1
        case .flaky: flaky += 1
        case .failed: failed += 1
        case .errored: errored += 1
        }
    }
}

extension VerdictCounts {
    /// Summaries of earlier programs say nothing of skipped tests, and count them as passed.
    package init(from decoder: any Decoder) throws {
        let counts = try decoder.container(keyedBy: CodingKeys.self)
        planned = try counts.decode(Int.self, forKey: .planned)
        passed = try counts.decode(Int.self, forKey: .passed)
        skipped = try counts.decodeIfPresent(Int.self, forKey: .skipped) ?? 0
        changed = try counts.decode(Int.self, forKey: .changed)
        moved = try counts.decode(Int.self, forKey: .moved)
        new = try counts.decode(Int.self, forKey: .new)
        missing = try counts.decode(Int.self, forKey: .missing)
        unreached = try counts.decode(Int.self, forKey: .unreached)
        flaky = try counts.decode(Int.self, forKey: .flaky)
        failed = try counts.decode(Int.self, forKey: .failed)
        errored = try counts.decode(Int.self, forKey: .errored)
        withoutVerdict = try counts.decode(Int.self, forKey: .withoutVerdict)
    }
}

/// How the pictures were compared.
package struct ComparisonCounts: Hashable, Sendable, Codable {
    /// Captures that had a reference.
    package var total = 0
    package var identicalByDigest = 0
    package var decoded = 0
    package var differing = 0

    package init() {}
}

/// One cell of the matrix.
package struct CellSummary: Hashable, Sendable, Codable {
    package var id: String
    package var device: String
    package var os: String
    package var variant: [String: String]
    /// Every planned test case of the cell has a verdict.
    package var complete: Bool
    package var counts: VerdictCounts

    package init(
        id: String,
        device: String,
        os: String,
        variant: [String: String],
        complete: Bool,
        counts: VerdictCounts
    ) {
        self.id = id
        self.device = device
        self.os = os
        self.variant = variant
        self.complete = complete
        self.counts = counts
    }
}

/// What the leases of one job on one cell took before their first tests: medians, in seconds.
package struct StartSummary: Hashable, Sendable, Codable {
    package var job: String
    package var cell: String
    /// Where the worker's last lease was of the same cell; nil where there was no such lease.
    package var warmSeconds: Double?
    /// Of all other leases; nil as above.
    package var coldSeconds: Double?

    package init(job: String, cell: String, warmSeconds: Double?, coldSeconds: Double?) {
        self.job = job
        self.cell = cell
        self.warmSeconds = warmSeconds
        self.coldSeconds = coldSeconds
    }

    /// Of leases that have ended; nil where none said what it took.
    package static func all(of leases: [LeaseEvidence]) -> [StartSummary]? {
        let timed = leases.filter { $0.start != nil }
        guard !timed.isEmpty else { return nil }
        return Dictionary(grouping: timed) { CellKey(job: $0.job, cell: $0.cell) }
            .sorted { $0.key < $1.key }
            .map { key, leases in
                func median(isWarm: Bool) -> Double? {
                    let starts = leases.compactMap(\.start).filter { $0.isWarm == isWarm }
                        .map(\.seconds).sorted()
                    return starts.isEmpty ? nil : starts[(starts.count - 1) / 2]
                }
                return StartSummary(
                    job: key.job.text,
                    cell: key.cell.text,
                    warmSeconds: median(isWarm: true),
                    coldSeconds: median(isWarm: false)
                )
            }
    }
}

/// One (test case × cell).
package struct TestSummary: Hashable, Sendable, Codable {
    package var job: String
    package var cell: String
    package var test: String
    /// Nil: it got no verdict, so the run is incomplete.
    package var verdict: Verdict?
    package var attempts: Int
    package var seconds: Double
    /// The framework's text or the error's sentence; empty for a pass.
    package var message: String
    /// True where the test chose not to run; its verdict is `passed`, and it is counted as skipped.
    package var skipped: Bool
    /// The end of the test's own output, for failures.
    package var output: String
    package var worker: String
    /// Seconds since the run's start at which the last attempt began.
    package var startedAt: Double
    /// How busy the host was during the last attempt; nil for plain passes and where nobody knows.
    package var load: HostLoad?
    /// It makes the run red, by its job's rules and the quarantine; nil for a pass, and where the
    /// program that wrote the summary did not say.
    package var isRed: Bool?

    package init(
        job: String,
        cell: String,
        test: String,
        verdict: Verdict?,
        attempts: Int,
        seconds: Double,
        message: String = "",
        skipped: Bool = false,
        output: String = "",
        worker: String = "",
        startedAt: Double = 0,
        load: HostLoad? = nil,
        isRed: Bool? = nil
    ) {
        self.job = job
        self.cell = cell
        self.test = test
        self.verdict = verdict
        self.attempts = attempts
        self.seconds = seconds
        self.message = message
        self.skipped = skipped
        self.output = output
        self.worker = worker
        self.startedAt = startedAt
        self.load = load
        self.isRed = isRed
    }
}

/// One picture.
package struct SnapshotSummary: Hashable, Sendable, Codable {
    /// `<cell>/<suite>/<name>`.
    package var id: String
    package var job: String
    package var cell: String
    package var suite: String
    package var name: String
    /// The framework's own identifier, or the name.
    package var identifier: String
    /// The test case that made it; empty where the test program did not say.
    package var test: String
    package var verdict: Verdict
    /// The Git blob id of the reference, or of the predecessor's; empty without one.
    package var reference: String
    /// The id of the picture it succeeds and was compared with; empty for all with a reference of
    /// their own.
    package var predecessor: String
    /// `sha256:` digest of the capture; empty where none was made.
    package var capture: String
    package var width: Int
    package var height: Int
    package var differingPixels: Int
    /// Differing pixels over all, 0…1.
    package var share: Double
    package var largestDelta: Int
    package var clusters: [PixelBox]
    /// What was found, in one line for people.
    package var words: String
    /// Paths relative to the output folder, by `reference`, `failed`, `diff`, `capture`, and `other`
    /// for another take of an unstable picture.
    package var files: [String: String]
    /// It makes the run red; nil as for a test.
    package var isRed: Bool?

    package init(
        id: String,
        job: String,
        cell: String,
        suite: String,
        name: String,
        identifier: String,
        test: String,
        verdict: Verdict,
        reference: String = "",
        predecessor: String = "",
        capture: String = "",
        width: Int = 0,
        height: Int = 0,
        differingPixels: Int = 0,
        share: Double = 0,
        largestDelta: Int = 0,
        clusters: [PixelBox] = [],
        words: String = "",
        files: [String: String] = [:]
    ) {
        self.id = id
        self.job = job
        self.cell = cell
        self.suite = suite
        self.name = name
        self.identifier = identifier
        self.test = test
        self.verdict = verdict
        self.reference = reference
        self.predecessor = predecessor
        self.capture = capture
        self.width = width
        self.height = height
        self.differingPixels = differingPixels
        self.share = share
        self.largestDelta = largestDelta
        self.clusters = clusters
        self.words = words
        self.files = files
    }
}

/// A file people and CI download.
package struct ArtifactSummary: Hashable, Sendable, Codable {
    package var name: String
    package var bytes: Int
    /// Hex of the SHA-256.
    package var sha256: String

    package init(name: String, bytes: Int, sha256: String) {
        self.name = name
        self.bytes = bytes
        self.sha256 = sha256
    }
}
