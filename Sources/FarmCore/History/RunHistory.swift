// What outlives the machines between two runs: how long tests take, how often they disagree with
// themselves, what a cell costs to start, and which tests the last complete run had. One small
// file for the CI's cache.
//
// Invariants
//   - It changes no verdict of a test. Losing it costs speed, and the knowledge which tests there
//     were (`LostTests`).
//   - Times are whole microseconds, so that every machine computes the same from it.
//   - It does not grow without end: what was not seen for longest falls out.

/// What runs taught about tests and cells.
package struct RunHistory: Hashable, Sendable {
    /// Runs that went into it; the clock by which entries age.
    package var runs: Int
    package var tests: [TestKey: TestHistory]
    /// What a lease takes before its first test where its worker comes from another cell.
    package var starts: [CellKey: StartHistory]
    /// The same where its worker comes from this cell.
    package var launches: [CellKey: StartHistory]
    /// The last run of each branch that was complete and unfiltered, the newest first; at most
    /// `FarmLimits.historyBranchesMax`.
    package var completes: [CompleteRun]

    package init(
        runs: Int = 0,
        tests: [TestKey: TestHistory] = [:],
        starts: [CellKey: StartHistory] = [:],
        launches: [CellKey: StartHistory] = [:],
        completes: [CompleteRun] = []
    ) {
        self.runs = runs
        self.tests = tests
        self.starts = starts
        self.launches = launches
        self.completes = completes
    }

    /// Whether nothing can be learned from it.
    package var isEmpty: Bool { tests.isEmpty }
}

/// One job on one cell.
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

/// What is known of one (test case × cell).
package struct TestHistory: Hashable, Sendable {
    /// Microseconds of its newest ends, oldest first; at most `FarmLimits.historySamplesMax`.
    package var samples: [Int]
    /// The run that saw it last, counted as ``RunHistory/runs``.
    package var seen: Int
    /// Runs in which its attempts disagreed.
    package var flaky: Int

    package init(samples: [Int] = [], seen: Int = 0, flaky: Int = 0) {
        self.samples = samples
        self.seen = seen
        self.flaky = flaky
    }
}

/// What leases of one cell took before their first tests.
package struct StartHistory: Hashable, Sendable {
    /// Microseconds, oldest first; at most `FarmLimits.historySamplesMax`.
    package var samples: [Int]
    package var seen: Int

    package init(samples: [Int] = [], seen: Int = 0) {
        self.samples = samples
        self.seen = seen
    }
}

/// The names of a complete run.
package struct CompleteRun: Hashable, Sendable {
    package var run: String
    /// Empty where unknown.
    package var branch: String
    /// The reference set it compared with, as ``RunFacts/set``.
    package var set: String
    /// By job, sorted.
    package var tests: [JobName: [TestID]]

    package init(run: String, branch: String, set: String, tests: [JobName: [TestID]]) {
        self.run = run
        self.branch = branch
        self.set = set
        self.tests = tests
    }
}

extension RunHistory {
    /// Returns the tests of the last complete run that a plan lacks, or `nil` without such a run.
    ///
    /// A plan of a part of the tests lacks none: the result is `nil`, too.
    /// The last run of the `branch` counts, else the newest of another one.
    package func lost(from plan: Plan, branch: String, set: String) -> LostTests? {
        let own = completes.first { $0.branch == branch }
        guard !plan.filtered, let last = own ?? completes.first else { return nil }
        let name = last.branch.isEmpty ? "another branch" : "branch \(last.branch)"
        return last.lost(from: plan, set: set, other: own == nil ? name : nil)
    }
}

extension CompleteRun {
    /// Returns the tests of this run that a plan lacks.
    ///
    /// Left out are jobs that are not in the plan, and snapshot jobs whose references are of another
    /// `set` now: a record or an approval has decided since then which pictures there are.
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
