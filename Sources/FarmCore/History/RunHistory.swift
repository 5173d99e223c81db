// What outlives the machines between two runs: how long tests take, how often they disagree with
// themselves, what a cell costs to start, and which tests the last complete run had. One small
// file for the CI's cache.
//
// Invariants
//   - Losing it costs speed, never a verdict.
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
    /// The names of the last run that was complete and unfiltered; nil before the first.
    package var complete: CompleteRun?

    package init(
        runs: Int = 0,
        tests: [TestKey: TestHistory] = [:],
        starts: [CellKey: StartHistory] = [:],
        launches: [CellKey: StartHistory] = [:],
        complete: CompleteRun? = nil
    ) {
        self.runs = runs
        self.tests = tests
        self.starts = starts
        self.launches = launches
        self.complete = complete
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
    /// By job, sorted.
    package var tests: [JobName: [TestID]]

    package init(run: String, tests: [JobName: [TestID]]) {
        self.run = run
        self.tests = tests
    }
}

extension RunHistory {
    /// Test cases that the last complete run had and a plan does not, by job, sorted.
    ///
    /// A job that is not in the plan is left out: it was not asked for.
    package func gone(from plan: Plan) -> [JobName: [TestID]] {
        guard let complete, !plan.filtered else { return [:] }
        var gone: [JobName: [TestID]] = [:]
        for planned in plan.jobs {
            let names = Set(planned.tests)
            let lost = (complete.tests[planned.job.name] ?? []).filter { !names.contains($0) }
            if !lost.isEmpty { gone[planned.job.name] = lost }
        }
        return gone
    }
}
