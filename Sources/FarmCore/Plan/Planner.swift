// The planner: pipeline + discovered tests + pin → plan. Equal input gives an equal plan.

/// The reason why no plan can be made.
package enum PlanError: ExplainedError {
    case noTests(JobName)
    case tooMany(Int)
    case duplicateTest(JobName, TestID)
    /// No selected job has these tests of the user's list; they are sorted, and at least one.
    case unknownTests([String])

    package var code: String {
        switch self {
        case .noTests: "no-tests"
        case .tooMany: "plan-too-large"
        case .duplicateTest: "duplicate-test"
        case .unknownTests: "unknown-tests"
        }
    }
    package var message: String {
        switch self {
        case .noTests(let job): "job \(job): discovery found no test case."
        case .tooMany(let count): "the plan has \(count) (test case × cell)."
        case .duplicateTest(let job, let test): "job \(job): discovery lists \(test) twice."
        case .unknownTests(let names):
            "--tests-from names \(names.prefix(3).joined(separator: ", "))"
                + (names.count > 3 ? " and \(names.count - 3) more" : "")
                + ", which no selected job has."
        }
    }
    package var remedy: String {
        switch self {
        case .noTests:
            "Run its discovery by hand (`snapfarm plan FILE`); a suite that silently never runs "
                + "is red."
        case .tooMany: "At most \(FarmLimits.plannedTestsMax); split the pipeline."
        case .duplicateTest: "Test case ids must be unique in their job."
        case .unknownTests: "`snapfarm list FILE` prints the names; use the same --select there."
        }
    }
    package var exit: ExitCode {
        switch self {
        case .noTests, .unknownTests: .incomplete
        case .tooMany, .duplicateTest: .invalidInput
        }
    }
}

/// A job with its discovered tests.
package struct DiscoveredJob: Sendable {
    package var job: Job
    package var tests: [TestID]
    package var prepared: [String: String]

    package init(job: Job, tests: [TestID], prepared: [String: String]) {
        self.job = job
        self.tests = tests
        self.prepared = prepared
    }
}

package enum Planner {
    /// Returns the jobs of a pipeline that a selection takes, each with the selected cells.
    package static func jobs(of pipeline: Pipeline, selection: Selection) -> [Job] {
        pipeline.jobs.filter { selection.takes($0.name) }.compactMap { job in
            var narrowed = job
            narrowed.cells = job.cells.filter { selection.takes($0) }
            return narrowed.cells.isEmpty ? nil : narrowed
        }
    }

    /// Returns all cells of the pipeline's snapshot jobs, each once; empty if no device succeeds
    /// another, so that most plans stay small.
    package static func matrix(of pipeline: Pipeline) -> [Cell] {
        guard pipeline.devices.contains(where: { $0.succeeds != nil }) else { return [] }
        var seen: Set<CellID> = []
        return pipeline.jobs.filter { $0.kind == .snapshot }.flatMap(\.cells)
            .filter { seen.insert($0.id).inserted }
    }

    /// Makes the plan of a run.
    ///
    /// `rules` are those of the command line; the pipeline's quarantine is added.
    ///
    /// - Throws: `PlanError` for a job without a test case, a test case listed twice, an unknown
    ///   test, or a plan over the limit.
    package static func plan(
        pipeline: Pipeline,
        discovered: [DiscoveredJob],
        selection: Selection,
        mode: RunMode,
        pin: ReferencePin,
        rules: RunRules = RunRules(),
        workTree: String
    ) throws(PlanError) -> Plan {
        var rules = rules
        rules.quarantine += pipeline.quarantine
        let unknown = selection.unknown(discovered)
        guard unknown.isEmpty else { throw .unknownTests(unknown) }
        var jobs: [PlannedJob] = []
        for found in discovered {
            guard !found.tests.isEmpty else { throw .noTests(found.job.name) }
            var seen: Set<TestID> = []
            for test in found.tests where !seen.insert(test).inserted {
                throw .duplicateTest(found.job.name, test)
            }
            let tests = found.tests.filter { selection.takes($0, of: found.job.name) }
            guard !tests.isEmpty else { continue }
            jobs.append(PlannedJob(job: found.job, tests: tests, prepared: found.prepared))
        }
        let plan = Plan(
            pipeline: pipeline.name,
            mode: mode,
            filtered: !selection.isEmpty,
            pin: pin,
            jobs: jobs,
            matrix: matrix(of: pipeline),
            renames: pipeline.references?.renames ?? [],
            reencode: pipeline.references?.reencode ?? [],
            screens: pipeline.screens?.names,
            rules: rules.unlessUsual,
            workTree: workTree,
            part: selection.name.map { part in
                let tests = discovered.map { ($0.job.name.text, $0.tests) }
                return PlanPart(
                    name: part,
                    jobs: pipeline.jobs,
                    tests: Dictionary(tests) { first, _ in first }
                )
            }
        )
        guard plan.testCount <= FarmLimits.plannedTestsMax else { throw .tooMany(plan.testCount) }
        return plan
    }
}
