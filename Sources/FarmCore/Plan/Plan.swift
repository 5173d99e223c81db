// The plan of a run: all test cases, and the pin that the run compares with, written down before
// anything runs. The ledger keeps it; it never changes.
import Foundation

/// A job of a plan, with the result of its discovery.
package struct PlannedJob: Hashable, Sendable, Codable {
    /// The job; its `cells` are those of this run (a selection may have narrowed them).
    package var job: Job
    /// The job's tests in discovery's order, without duplicates.
    package var tests: [TestID]
    /// The facts that discovery found for the workers (such as a built program's path), by the
    /// driver's own keys.
    package var prepared: [String: String]

    package init(job: Job, tests: [TestID], prepared: [String: String]) {
        self.job = job
        self.tests = tests
        self.prepared = prepared
    }
}

/// The plan of a run: its jobs, test cases, pin and rules.
package struct Plan: Hashable, Sendable, Codable {
    package var pipeline: String
    package var mode: RunMode
    package var filtered: Bool
    /// The pin that the run compares with; empty if there are no references yet.
    package var pin: ReferencePin
    package var jobs: [PlannedJob]
    /// All cells of the pipeline, selected or not: a selected cell may succeed one that was not
    /// selected.
    package var matrix: [Cell]
    package var renames: [RenameRule]
    /// The patterns of suites whose new references are stored as smaller files of the same pixels.
    package var reencode: [String]
    /// The screens that should have pictures, or `nil` if the pipeline names none.
    package var screens: [String]?
    /// The run's rules, or `nil` for the usual ones; see ``RunRules``.
    package var rules: RunRules?
    /// The absolute path of the pipeline file's folder.
    package var workTree: String
    /// The share of the plan that this machine runs, or `nil` if it runs the whole plan.
    package var share: PlanShare?
    /// The part of the pipeline that `--select` chose, or `nil` for a whole plan.
    package var part: PlanPart?
    /// The tests of the last complete run that this plan lacks, or `nil` if they are unknown.
    package var lost: LostTests?
    /// The clean runs in a row before this run of the quarantine entries that end after some, by
    /// ``QuarantineEntry/key``, or `nil` if none was counted yet.
    package var cleanRuns: [String: Int]?
    /// The test cases that do not run, because an earlier run passed them, or `nil` if all run.
    package var inherited: InheritedTests?
    /// The renderers of the references at the pin, which a coordinator of a fleet reads, or `nil` if
    /// they are unknown or do not matter.
    package var drawn: [DrawnReferences]?

    package init(
        pipeline: String,
        mode: RunMode,
        filtered: Bool,
        pin: ReferencePin,
        jobs: [PlannedJob],
        matrix: [Cell] = [],
        renames: [RenameRule] = [],
        reencode: [String] = [],
        screens: [String]? = nil,
        rules: RunRules? = nil,
        workTree: String,
        share: PlanShare? = nil,
        part: PlanPart? = nil,
        lost: LostTests? = nil,
        cleanRuns: [String: Int]? = nil
    ) {
        self.pipeline = pipeline
        self.mode = mode
        self.filtered = filtered
        self.pin = pin
        self.jobs = jobs
        self.matrix = matrix
        self.renames = renames
        self.reencode = reencode
        self.screens = screens
        self.rules = rules
        self.workTree = workTree
        self.share = share
        self.part = part
        self.lost = lost
        self.cleanRuns = cleanRuns
    }

    /// The number of test cases that this machine runs: those of the whole plan, or of its share,
    /// without inherited ones.
    package var testCount: Int {
        if let share { return share.testCount }
        return jobs.reduce(-(inherited?.count ?? 0)) { $0 + $1.tests.count * $1.job.cells.count }
    }

    /// The identity of the plan: equal for the same pipeline, tests, mode and pin on any machine.
    ///
    /// It leaves out this machine's paths (`workTree`, `prepared`) and share, because all machines
    /// of a run have one plan. It also leaves out a part's outline of the whole, the lost tests,
    /// the clean runs and the suspects of a sample, which earlier runs decide, and what drew the
    /// references, which follows from the pin.
    package var digest: Digest {
        var portable = self.portable
        portable.share = nil
        portable.part = nil
        portable.lost = nil
        portable.cleanRuns = nil
        portable.drawn = nil
        portable.inherited?.unchanged?.suspects = nil
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // A plan holds only texts, finite numbers and arrays of these: encoding cannot fail.
        let bytes = (try? encoder.encode(portable)) ?? Data()
        return Digest(of: bytes)
    }

    /// The plan without the values of this machine: `workTree` and `prepared` are empty.
    package var portable: Plan {
        var portable = self
        portable.workTree = ""
        for index in portable.jobs.indices { portable.jobs[index].prepared = [:] }
        return portable
    }
}
