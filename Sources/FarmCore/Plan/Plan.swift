// The manifest of a run: every (test case × cell), written down before anything is dispatched,
// with the pin it compares against. The ledger keeps it; nothing changes it afterwards.
import Foundation

/// One job of a plan, with what discovery found.
package struct PlannedJob: Hashable, Sendable, Codable {
    /// Its `cells` are those of this run (a selection may have narrowed them).
    package var job: Job
    /// Without duplicates, in discovery's order.
    package var tests: [TestID]
    /// What workers need to know, by the driver's own keys.
    package var prepared: [String: String]

    package init(job: Job, tests: [TestID], prepared: [String: String]) {
        self.job = job
        self.tests = tests
        self.prepared = prepared
    }
}

/// Everything a run will do.
package struct Plan: Hashable, Sendable, Codable {
    package var pipeline: String
    package var mode: RunMode
    package var filtered: Bool
    /// What it compares against; empty where there is nothing yet.
    package var pin: ReferencePin
    package var jobs: [PlannedJob]
    /// The whole matrix of the pipeline: a selected cell may succeed one that was not selected.
    package var matrix: [Cell]
    package var renames: [RenameRule]
    /// Patterns of suites whose new references are made smaller.
    package var reencode: [String]
    /// The screens that should have pictures; nil where the pipeline names none.
    package var screens: [String]?
    /// Nil where nothing is said; see ``RunRules``.
    package var rules: RunRules?
    /// Absolute path of the pipeline file's folder.
    package var workTree: String
    /// What this machine runs of it; nil: all.
    package var share: PlanShare?
    /// What `--select` left out; nil for a whole plan.
    package var part: PlanPart?
    /// Tests of the last complete run that this plan has not; nil where nothing is known of them.
    package var lost: LostTests?

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
        lost: LostTests? = nil
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
    }

    /// (Test case × cell) that this machine runs: those of the whole plan, or of its share.
    package var testCount: Int {
        if let share { return share.testCount }
        return jobs.reduce(0) { $0 + $1.tests.count * $1.job.cells.count }
    }

    /// The plan's identity: the same pipeline, tests, mode and pin on any machine.
    ///
    /// Paths of this machine (`workTree`, `prepared`) are left out, and so is its share: all
    /// machines of a run have one plan. A part's outline of the whole is not what is run, and
    /// neither is what an earlier run had.
    package var digest: Digest {
        var portable = self.portable
        portable.share = nil
        portable.part = nil
        portable.lost = nil
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // A plan holds only texts, finite numbers and arrays of them: encoding cannot fail.
        let bytes = (try? encoder.encode(portable)) ?? Data()
        return Digest(of: bytes)
    }

    /// Without what is of this machine.
    package var portable: Plan {
        var portable = self
        portable.workTree = ""
        for index in portable.jobs.indices { portable.jobs[index].prepared = [:] }
        return portable
    }
}
