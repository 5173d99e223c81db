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
    /// Pictures that are not as expected, by what people decide about; nil where the program that
    /// wrote the summary did not say.
    package var changes: [ChangeSummary]?
    /// Tests that the last complete run had and that are gone, by job, sorted.
    ///
    /// They make the run red: what is quarantined or accepted is left out. Nil where there is none.
    package var vanished: [String: [String]]?

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
        starts: [StartSummary]? = nil,
        changes: [ChangeSummary]? = nil,
        vanished: [String: [String]]? = nil
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
        self.changes = changes
        self.vanished = vanished
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
    /// Whose token handed the run in: a person's name, else the token's; nil for a run that no
    /// coordinator for many has.
    package var startedBy: String?

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
        case startedBy
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
        part: String? = nil,
        startedBy: String? = nil
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
        self.startedBy = startedBy
    }
}

extension RunFacts {
    /// The name of a run that is a part of its pipeline, for people; nil for a whole run.
    package var partName: String? {
        // Before `part` was known, a run said only that it was one.
        let selected = part ?? (filtered ? "selection" : nil)
        let names = [selected, shard.map(ShardPlace.words)].compactMap(\.self)
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
