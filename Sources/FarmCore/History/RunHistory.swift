// The knowledge that outlives the machines between two runs: tests' times, tests' flakiness, cells'
// start times, and the tests and the proof of the last complete run. It is one small file for the
// CI's cache.
//
// Invariants
//   - It changes no verdict of a test that runs, but for one whose quarantine ended after clean
//     runs. Losing it costs speed, these counts, and the knowledge which tests existed
//     (`LostTests`). A proof in it (`RunProof`) can spare a later commit its run.
//   - Times are whole microseconds, so that all machines compute the same from them.
//   - Its size is limited: entries that were not seen for longest are dropped.

/// The times, flakiness and tests that runs taught.
package struct RunHistory: Hashable, Sendable {
    /// The number of runs in the history, by which entries age.
    package var runs: Int
    package var tests: [TestKey: TestHistory]
    /// The times before the first test of leases whose workers came from another cell.
    package var starts: [CellKey: StartHistory]
    /// The times before the first test of leases whose workers came from the same cell.
    package var launches: [CellKey: StartHistory]
    /// The last complete and unfiltered run of each branch, the newest first; at most
    /// `FarmLimits.historyBranchesMax`.
    package var completes: [CompleteRun]
    /// The uses of alternates; see ``AlternateUses``.
    package var alternates: AlternateUses
    /// The clean runs in a row of quarantine entries, by ``QuarantineEntry/key``; at most
    /// `FarmLimits.quarantineMax`.
    package var cleanRuns: [String: CleanCount] = [:]
    /// The newest runs, oldest first, whose bad and flaky results are recorded; at most
    /// `FarmLimits.historyRecordedMax`.
    package var recorded: [RecordedRun] = []
    /// The test cases that later runs may inherit, or `nil` if no job has `reuse`.
    package var reuse: ReuseRecord?

    package init(
        runs: Int = 0,
        tests: [TestKey: TestHistory] = [:],
        starts: [CellKey: StartHistory] = [:],
        launches: [CellKey: StartHistory] = [:],
        completes: [CompleteRun] = [],
        alternates: AlternateUses = AlternateUses()
    ) {
        self.runs = runs
        self.tests = tests
        self.starts = starts
        self.launches = launches
        self.completes = completes
        self.alternates = alternates
    }

    /// Whether the history has no times of tests.
    package var isEmpty: Bool { tests.isEmpty }
}

/// The key of one job on one cell.
package struct CellKey: Hashable, Comparable, Sendable {
    package var job: JobName
    package var cell: CellID

    package init(job: JobName, cell: CellID) {
        self.job = job
        self.cell = cell
    }

    package static func < (left: CellKey, right: CellKey) -> Bool {
        (left.job, left.cell) < (right.job, right.cell)
    }
}

/// The times and the flakiness of one test case in earlier runs.
package struct TestHistory: Hashable, Sendable {
    /// The durations of the test case's newest executions in microseconds, oldest first; at most
    /// `FarmLimits.historySamplesMax`.
    package var samples: [Int]
    /// The number of the last run that executed the test case, in terms of ``RunHistory/runs``.
    package var seen: Int
    /// The number of runs in which the test case's attempts disagreed.
    package var flaky: Int
    /// The results in recorded runs, oldest first; empty for a test that is always good.
    package var results: [RecordedResult] = []

    package init(samples: [Int] = [], seen: Int = 0, flaky: Int = 0) {
        self.samples = samples
        self.seen = seen
        self.flaky = flaky
    }
}

/// The times of leases of one cell from their grant to their first test.
package struct StartHistory: Hashable, Sendable {
    /// The measured times in microseconds, oldest first; at most `FarmLimits.historySamplesMax`.
    package var samples: [Int]
    package var seen: Int

    package init(samples: [Int] = [], seen: Int = 0) {
        self.samples = samples
        self.seen = seen
    }
}

/// The clean runs in a row of a quarantine entry.
package struct CleanCount: Hashable, Sendable, Codable {
    package var count: Int
    /// The number of the last run with the entry, in terms of ``RunHistory/runs``.
    package var seen: Int

    package init(count: Int, seen: Int) {
        self.count = count
        self.seen = seen
    }
}

/// A complete run with the names of its tests.
package struct CompleteRun: Hashable, Sendable {
    package var run: String
    /// The run's branch, or empty if it is unknown.
    package var branch: String
    /// The reference set that the run compared with, like ``RunFacts/set``.
    package var set: String
    /// The names of the run's tests by job, sorted.
    package var tests: [JobName: [TestID]]
    /// The proof that later commits need no run, or `nil` if the run proves nothing.
    package var proof: RunProof?

    package init(
        run: String,
        branch: String,
        set: String,
        tests: [JobName: [TestID]],
        proof: RunProof? = nil
    ) {
        self.run = run
        self.branch = branch
        self.set = set
        self.tests = tests
        self.proof = proof
    }
}

extension RunHistory {
    /// Returns the tests of the last complete run that the plan lacks, or `nil` if there is no such
    /// run or the plan is filtered.
    ///
    /// The last run of the `branch` is used, or else the newest one of another branch.
    package func lost(from plan: Plan, branch: String, set: String) -> LostTests? {
        let own = completes.first { $0.branch == branch }
        guard !plan.filtered, let last = own ?? completes.first else { return nil }
        let name = last.branch.isEmpty ? "another branch" : "branch \(last.branch)"
        return last.lost(from: plan, set: set, other: own == nil ? name : nil)
    }
}

extension RunHistory {
    /// Returns the clean runs before a run of `plan`, or `nil` if none was counted.
    package func cleanRuns(before plan: Plan) -> [String: Int]? {
        let counts = plan.countedEntries.compactMap { entry in
            cleanRuns[entry.key].map { (entry.key, $0.count) }
        }
        return counts.isEmpty ? nil : Dictionary(counts) { first, _ in first }
    }
}

extension CompleteRun {
    /// Returns the tests of this run that the plan lacks.
    ///
    /// Jobs that are not in the plan are left out, and so are snapshot jobs if `set` is another
    /// reference set: a record or an approval has since decided which pictures exist.
    package func lost(from plan: Plan, set: String, other: String?) -> LostTests {
        var lost: [String: [TestID]] = [:]
        for planned in plan.jobs where planned.job.kind == .unit || self.set == set {
            let names = Set(planned.tests)
            let gone = (tests[planned.job.name] ?? []).filter { !names.contains($0) }
            if !gone.isEmpty { lost[planned.job.name.text] = gone }
        }
        return LostTests(run: run, other: other, tests: lost)
    }
}
