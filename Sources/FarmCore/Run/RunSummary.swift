// The machine-readable result of a run: `summary.json`. Its field names are a promise to scripts;
// changing one raises `schemaVersion`. Reports are pure functions of this value.

/// The state of a run.
package enum RunState: String, Hashable, Sendable, Codable, CaseIterable {
    case running, passed, failed, incomplete, cancelled
    /// The run ended, but its plan or references cannot be read, so none of its verdicts counts.
    case unjudgeable
}

/// The content of `summary.json`, version 1.
package struct RunSummary: Hashable, Sendable, Codable {
    package static let currentVersion = 1

    package var schemaVersion = RunSummary.currentVersion
    package var run: RunFacts
    package var state: RunState
    package var exitCode: Int32
    package var counts: VerdictCounts
    package var comparisons: ComparisonCounts
    package var cells: [CellSummary]
    /// The rows of the run's test cases, sorted by job, cell, test.
    package var tests: [TestSummary]
    /// The rows of the run's pictures, sorted by snapshot id.
    package var snapshots: [SnapshotSummary]
    package var artifacts: [ArtifactSummary]
    package var problems: [Problem]
    /// The bad verdicts that a quarantine excuses, or `nil` if there are none.
    package var quarantined: [QuarantinedSummary]?
    /// The clean runs of the quarantine entries that end after some, or `nil` if there are none;
    /// only a whole run counts.
    package var cleanRuns: [CleanRuns]?
    /// The start times of leases, sorted by job, then cell, or `nil` if none was measured.
    package var starts: [StartSummary]?
    /// The open pictures, grouped into changes; `nil` in summaries of older versions.
    package var changes: [ChangeSummary]?
    /// The causes that several changed pictures share, or `nil` if there are none.
    package var causes: [CauseSummary]?
    /// The tests of the last complete run that this run lacks, by job, sorted; `nil` if there are
    /// none.
    ///
    /// Each makes the run red. Quarantined and accepted ones are left out.
    package var vanished: [String: [String]]?
    /// The proof that later commits with the same inputs need no run, or `nil` if the run proves
    /// nothing.
    package var proof: RunProof?

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

/// The facts about a run that identify it and its origin.
///
/// Times are ISO 8601 in UTC with milliseconds. Unknown texts are empty.
package struct RunFacts: Hashable, Sendable, Codable {
    package var id: String
    package var key: String
    package var pipeline: String
    package var mode: RunMode
    package var filtered: Bool
    package var commit: String
    package var branch: String
    package var pullRequest: String
    /// The commit id of the reference set that the run compared with, or empty if there is none.
    package var set: String
    /// The `sha256:` digest of the plan.
    package var planDigest: String
    package var started: String
    package var finished: String
    /// `INDEX/TOTAL` if the run did one machine's share of its plan, or `nil` for a whole run.
    package var shard: String?
    /// The web address of the CI provider's page about the job that ran the run, or `nil` if it is
    /// unknown.
    package var page: String?
    /// The part of the pipeline that `--select` chose, like ``Selection/name``, or `nil` for a
    /// whole run.
    package var part: String?
    /// The submitter: the person's name of its token, or else the token's name; `nil` for runs
    /// without a shared coordinator.
    package var startedBy: String?
    /// The digests of all files and programs that the tests could read, by the name of each part
    /// of the run (``shareName``; empty for a run on one machine); `nil` if they are unknown.
    package var inputs: [String: Digest]?
    /// Whether the work tree had changes that its commit lacks, or `nil` if it is unknown.
    package var modified: Bool?

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
        case inputs
        case modified
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
        startedBy: String? = nil,
        inputs: [String: Digest]? = nil
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
        self.inputs = inputs
    }
}

extension RunFacts {
    /// The name of the run's part for people, or `nil` for a whole run.
    package var partName: String? {
        // Older versions only marked a part as filtered.
        let selected = part ?? (filtered ? "selection" : nil)
        let names = [selected, shard.map(ShardPlace.words)].compactMap(\.self)
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }

    /// The name of this run's output in a merge, or `nil` if the run is not one of its parts.
    ///
    /// A record run with `--select` is none: it has written its references itself.
    package var shareName: String? { shard ?? (mode == .verify ? part : nil) }

    /// Whether the run is a whole one that compared, so that it can be judged again.
    package var isJudgeable: Bool { mode == .verify && shareName == nil && !filtered }
}

/// The numbers of test cases by verdict; their sum is `planned`.
package struct VerdictCounts: Hashable, Sendable, Codable {
    package var planned = 0
    /// The number of passed test cases, without skipped ones.
    package var passed = 0
    /// The number of test cases that chose not to run; their verdict is `passed`.
    package var skipped = 0
    package var changed = 0
    package var moved = 0
    package var new = 0
    package var missing = 0
    package var unreached = 0
    package var flaky = 0
    package var failed = 0
    package var errored = 0
    /// The number of test cases that did not run, because an earlier run passed them.
    package var inherited = 0
    package var withoutVerdict = 0

    package init() {}

    /// Counts one planned test case under its verdict; `nil` stands for no verdict.
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
        case .inherited: inherited += 1
        }
    }
}

extension VerdictCounts {
    /// Decodes the counts; those of older versions have no `inherited` and no `skipped`, and count
    /// skipped tests as passed.
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
        inherited = try counts.decodeIfPresent(Int.self, forKey: .inherited) ?? 0
        withoutVerdict = try counts.decode(Int.self, forKey: .withoutVerdict)
    }
}

/// The numbers of compared pictures by result.
package struct ComparisonCounts: Hashable, Sendable, Codable {
    /// The number of captures that had a reference.
    package var total = 0
    package var identicalByDigest = 0
    package var decoded = 0
    package var differing = 0

    package init() {}
}
