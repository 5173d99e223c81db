import FarmCore

/// Runs for tests of the history, made with little code.
package enum HistoryFixture {
    package static func key(_ test: String, job: String = "snap", cell: String = "A") -> TestKey {
        TestKey(job: JobName(job), cell: CellID(cell), test: TestID(test))
    }

    package static func row(
        _ test: String,
        _ seconds: Double,
        job: String = "snap",
        cell: String = "A",
        verdict: Verdict? = .passed,
        worker: String = "w1",
        startedAt: Double = 0,
        skipped: Bool = false,
        attempts: Int = 1
    ) -> TestSummary {
        TestSummary(
            job: job,
            cell: cell,
            test: test,
            verdict: verdict,
            attempts: verdict == nil ? 0 : attempts,
            seconds: seconds,
            skipped: skipped,
            worker: worker,
            startedAt: startedAt
        )
    }

    package static func summary(
        _ tests: [TestSummary],
        id: String = "r1",
        state: RunState = .passed,
        filtered: Bool = false,
        shard: String? = nil,
        branch: String = "",
        set: String = ""
    ) -> RunSummary {
        var counts = VerdictCounts()
        for test in tests { counts.add(test.verdict) }
        return RunSummary(
            run: RunFacts(
                id: id,
                key: "",
                pipeline: "p",
                mode: .verify,
                filtered: filtered,
                commit: "",
                branch: branch,
                pullRequest: "",
                set: set,
                planDigest: "",
                started: "",
                finished: "",
                shard: shard
            ),
            state: state,
            exitCode: 0,
            counts: counts,
            comparisons: ComparisonCounts(),
            cells: [],
            tests: tests,
            snapshots: [],
            artifacts: [],
            problems: []
        )
    }

    /// Returns a plan of one or more jobs on cells without devices.
    package static func plan(
        _ jobs: [(name: String, cells: [String], tests: [String])],
        filtered: Bool = false
    ) -> Plan {
        Plan(
            pipeline: "p",
            mode: .verify,
            filtered: filtered,
            pin: ReferencePin(),
            jobs: jobs.map { job in
                PlannedJob(
                    job: Job(
                        name: JobName(job.name),
                        kind: .snapshot,
                        driver: DriverSettings("command", ["discover": "d", "run": "r"]),
                        cells: job.cells.map { Cell(id: CellID($0), device: nil, variant: []) }
                    ),
                    tests: job.tests.map { TestID($0) },
                    prepared: ["path": "/here"]
                )
            },
            workTree: "/here"
        )
    }
}
