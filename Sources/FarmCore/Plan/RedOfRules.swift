// The rules of `run --red-of`: a plan runs only what is not green in an earlier run of the same
// plan and code, and inherits the other verdicts.
//
// Invariants
//   - Only a verdict `passed` of a test case that ran is inherited, with the run that ran it.
//   - A verdict of other code is inherited only on request, and the run is then never green.

/// An ended run whose verdicts a later run may inherit.
package struct EarlierRun: Sendable {
    let plan: Plan
    let summary: RunSummary
    let leases: [LeaseEvidence]

    package init(plan: Plan, summary: RunSummary, leases: [LeaseEvidence]) {
        self.plan = plan
        self.summary = summary
        self.leases = leases
    }
}

extension Plan {
    /// Returns this plan with all test cases inherited that passed in an earlier run.
    ///
    /// `facts` are those of the new run.
    ///
    /// - Throws: ``RedOfError`` if the result of the run would lie.
    package func red(
        of earlier: EarlierRun,
        _ facts: RunFacts,
        allowsOtherCode: Bool
    ) throws(RedOfError) -> Plan {
        let run = earlier.summary.run
        guard mode == .verify else { throw .records }
        guard share == nil, !filtered else { throw .ownPart }
        try earlier.check()
        if let difference = difference(from: earlier.plan) {
            throw .otherPlan(run.id, difference)
        }
        let doubt = CodeDoubt(facts, run)
        if let doubt, !allowsOtherCode { throw .otherCode(run.id, doubt) }
        let passed = withPictures(
            earlier.passed(ofOtherCode: doubt != nil),
            madeBy: earlier.pictured
        )
        var plan = self
        plan.lost = plan.lost ?? earlier.plan.lost
        plan.inherited = InheritedTests(
            run: run.id,
            isOfOtherCode: doubt != nil,
            sources: sources(passed),
            remade: earlier.pictures(but: passed)
        )
        return plan
    }

    /// Removes the test cases of a job of pictures if none of them is in `pictured`.
    ///
    /// `pictured` are the test cases that made a picture. The job without one may make no picture
    /// any more; it has to run to find that out.
    func withPictures(
        _ runs: [TestKey: String],
        madeBy pictured: Set<TestKey>
    ) -> [TestKey: String] {
        let known = Set(runs.keys.lazy.filter(pictured.contains).map(\.job))
        let compared = jobs.map(\.job).filter { $0.kind == .snapshot && $0.judge == .farm }
        let doubtful = Set(compared.map(\.name)).subtracting(known)
        return runs.filter { !doubtful.contains($0.key.job) }
    }

    func sources(_ runs: [TestKey: String]) -> [InheritedTests.Source] {
        var sources: [String: [[[Int]]]] = [:]
        let none = jobs.map { planned in planned.job.cells.map { _ in [Int]() } }
        for (job, planned) in jobs.enumerated() {
            for (cell, place) in planned.job.cells.enumerated() {
                for (position, test) in planned.tests.enumerated() {
                    let key = TestKey(job: planned.job.name, cell: place.id, test: test)
                    guard let run = runs[key] else { continue }
                    sources[run, default: none][job][cell].append(position)
                }
            }
        }
        return sources.sorted { $0.key < $1.key }.prefix(FarmLimits.inheritedRunsMax)
            .map { InheritedTests.Source(run: $0.key, tests: $0.value) }
    }

    /// Returns the first difference from another plan that makes the verdicts of one say nothing
    /// about the other; `nil` if there is none.
    ///
    /// The number of repeats, the stop after the first failure and the order of tests may differ.
    private func difference(from other: Plan) -> String? {
        let (own, other) = (comparable, other.comparable)
        guard own.digest != other.digest else { return nil }
        if own.pipeline != other.pipeline { return "it is of pipeline \(other.pipeline)" }
        if own.pin != other.pin { return "the pin names another set of references" }
        let known = Dictionary(other.jobs.map { ($0.job.name, $0) }) { first, _ in first }
        for planned in own.jobs {
            let name = planned.job.name
            guard let then = known[name] else { return "job \(name) is new" }
            if Set(planned.job.cells) != Set(then.job.cells) {
                return "job \(name) has other devices or variants"
            }
            if planned.tests != then.tests { return "job \(name) has other tests" }
            if planned != then { return "job \(name) has other settings" }
        }
        if own.jobs.count != other.jobs.count { return "a job is gone" }
        return "the pipeline file has other rules"
    }

    private var comparable: Plan {
        var plan = portable
        plan.inherited = nil
        for index in plan.jobs.indices { plan.jobs[index].tests.sort() }
        plan.rules?.repeats = 1
        plan.rules?.failsFast = false
        plan.rules = plan.rules?.unlessUsual
        return plan
    }
}

extension EarlierRun {
    fileprivate func check() throws(RedOfError) {
        let run = summary.run
        guard run.mode == .verify else { throw .recorded(run.id) }
        guard run.isJudgeable else { throw .part(run.id) }
        guard summary.judgedRun == nil, !summary.isProven else { throw .ranNothing(run.id) }
        switch summary.state {
        case .running: throw .open(run.id)
        case .unjudgeable: throw .unjudgeable(run.id)
        case .passed, .failed, .incomplete, .cancelled: break
        }
    }

    /// Returns the runs that ran the test cases with an inheritable verdict.
    ///
    /// A test case is left out if it was skipped, or if a picture of it was not as expected. All of
    /// a job on a cell are left out if a lease there was doubtful, or a picture of an unknown test
    /// was not as expected; all on a cell if no job made that picture. Verdicts of other code are
    /// left out unless `ofOtherCode`.
    func passed(ofOtherCode: Bool) -> [TestKey: String] {
        var doubtful = Set(
            leases.lazy.filter { $0.problem != nil }.map { CellKey(job: $0.job, cell: $0.cell) }
        )
        var doubtfulCells: Set<CellID> = []
        var red: Set<TestKey> = []
        let isDropped = plan.inherited?.isOfOtherCode == true && !ofOtherCode
        for picture in summary.snapshots {
            let isGood = picture.verdict == .passed || picture.verdict == .inherited && !isDropped
            guard !isGood else { continue }
            let cell = CellKey(job: JobName(picture.job), cell: CellID(picture.cell))
            if picture.test.isEmpty { doubtful.insert(cell) }
            // Its reference may have been made by any job of the cell.
            if picture.test.isEmpty, picture.capture.isEmpty { doubtfulCells.insert(cell.cell) }
            red.insert(TestKey(job: cell.job, cell: cell.cell, test: TestID(picture.test)))
        }
        var passed: [TestKey: String] = [:]
        for row in summary.tests where row.verdict?.isAsExpected == true && !row.skipped {
            let cell = CellKey(job: JobName(row.job), cell: CellID(row.cell))
            let key = TestKey(job: cell.job, cell: cell.cell, test: TestID(row.test))
            guard !doubtful.contains(cell), !doubtfulCells.contains(cell.cell), !red.contains(key)
            else { continue }
            if row.verdict == .passed {
                passed[key] = summary.run.id
            } else if !isDropped {
                passed[key] = row.inheritedFrom
            }
        }
        return passed
    }

    /// The test cases that made a picture, in this run or in the one that it inherits them from.
    fileprivate var pictured: Set<TestKey> {
        let made = summary.snapshots.lazy.filter {
            !$0.test.isEmpty && (!$0.capture.isEmpty || $0.verdict == .inherited)
        }
        return Set(
            made.map {
                TestKey(job: JobName($0.job), cell: CellID($0.cell), test: TestID($0.test))
            }
        )
    }

    /// Returns the pictures of the tests that are not in `passed`.
    fileprivate func pictures(but passed: [TestKey: String]) -> [SnapshotID] {
        summary.snapshots.filter { picture in
            let key = TestKey(
                job: JobName(picture.job),
                cell: CellID(picture.cell),
                test: TestID(picture.test)
            )
            return !picture.test.isEmpty && passed[key] == nil
        }.compactMap { SnapshotID(exactly: $0.id) }
    }
}

/// The reason why two runs may have tested different code.
package enum CodeDoubt: Hashable, Sendable {
    case noCommit
    case commits(then: String, now: String)
    /// The work tree of one of the runs had changes beside its commit, or it is unknown.
    case modifiedThen, modifiedNow

    /// Finds the doubt, or returns `nil` if both runs are of one commit without further changes.
    init?(_ now: RunFacts, _ then: RunFacts) {
        if now.commit.isEmpty || then.commit.isEmpty {
            self = .noCommit
        } else if now.commit != then.commit {
            self = .commits(then: then.commit, now: now.commit)
        } else if now.modified != false {
            self = .modifiedNow
        } else if then.modified != false {
            self = .modifiedThen
        } else {
            return nil
        }
    }

    func words(_ run: String) -> String {
        switch self {
        case .noCommit: "the commit of this run or of run \(run) is not known"
        case .commits(let then, let now):
            "run \(run) is of commit \(then.prefix(12)), and this is \(now.prefix(12))"
        case .modifiedNow: "files of the work tree differ from its commit"
        case .modifiedThen: "files of the work tree differed from the commit in run \(run)"
        }
    }
}

/// The reason why `--red-of` is refused.
package enum RedOfError: ExplainedError, Hashable {
    case records
    case ownPart
    case recorded(String)
    case part(String)
    case ranNothing(String)
    case open(String)
    case unjudgeable(String)
    case otherPlan(String, String)
    case otherCode(String, CodeDoubt)
    case noRun

    package var code: String {
        switch self {
        case .records: "red-of-record"
        case .ownPart: "red-of-part"
        case .recorded, .part, .ranNothing, .unjudgeable: "red-of-unusable-run"
        case .open: "red-of-open-run"
        case .otherPlan: "red-of-other-plan"
        case .otherCode: "red-of-other-code"
        case .noRun: "unknown-run"
        }
    }
    package var message: String {
        switch self {
        case .records: "--red-of is for --mode verify: a record run takes every picture anew."
        case .ownPart: "--red-of runs what is red of a whole run, and this is a part of one."
        case .recorded(let run): "run \(run) recorded references; it has no verdicts."
        case .part(let run): "run \(run) is a part of a run."
        case .ranNothing(let run): "no test ran in run \(run)."
        case .open(let run): "run \(run) has not ended."
        case .unjudgeable(let run): "run \(run) could not be judged, so it has no verdicts."
        case .otherPlan(let run, let difference):
            "the verdicts of run \(run) say nothing about this one: \(difference)."
        case .otherCode(let run, let doubt):
            "the verdicts of run \(run) may be of other code: \(doubt.words(run))."
        case .noRun: "no run of this pipeline and branch has ended."
        }
    }
    package var remedy: String {
        switch self {
        case .records: "Leave out --red-of."
        case .ownPart:
            "Leave out --select, --tests-from and --shard; on a CI with parallel jobs, --shard 0/1 "
                + "runs all that is red in one of them."
        case .recorded, .part, .ranNothing, .unjudgeable, .noRun:
            "Name a whole run that ran tests: `snapfarm runs` lists them."
        case .open: "Wait for its end, or finish it with the same command and --resume."
        case .otherPlan: "Run all tests: the same command without --red-of."
        case .otherCode:
            "Run all tests, without --red-of. To see only whether the red tests are green now, add "
                + "--other-code; such a run is never green."
        }
    }
    package var exit: ExitCode { .invalidInput }
}
