// The mistakes in a plan. A plan comes over the network or from a file. After this check, judge,
// ledger and workers trust all its values: they index lists by them, add up its numbers and put its
// names into paths.
//
// Invariants
//   - The pipeline decoder and the planner make no plan with a mistake: their limits are the same,
//     except for long patterns together with long names.
//   - Nothing in here traps on any decoded plan.
import Foundation

/// The mistakes in a plan that make it unfit to be run or judged.
package struct PlanMistakes: ExplainedError, Hashable {
    /// The first `FarmLimits.planMistakesMax` mistakes in the plan's order, each a sentence without
    /// its full stop.
    package private(set) var named: [String] = []
    /// The number of all mistakes, including those that `named` leaves out.
    package private(set) var count = 0

    /// Finds the mistakes in a plan, or returns `nil` for a plan that can be run and judged.
    ///
    /// `driverMistakes` returns the mistakes in a driver's settings, as sentences without full
    /// stop. Pass the drivers' check when a plan is accepted for running. A plan that was accepted
    /// before, or is only judged, needs none.
    package init?(
        _ plan: Plan,
        driverMistakes: (DriverSettings) -> [String] = { _ in [] }
    ) {
        addNames(plan)
        addJobs(plan.jobs, driverMistakes)
        addShare(plan)
        if let inherited = plan.inherited { addInherited(inherited, plan) }
        if let lost = plan.lost { addLost(lost) }
        if let cleanRuns = plan.cleanRuns { addCleanRuns(cleanRuns) }
        if let drawn = plan.drawn { addDrawn(drawn, plan.jobs.map(\.job)) }
        addReferences(plan)
        if let rules = plan.rules {
            addRules(rules)
            addSteps(of: rules.quarantine, plan.jobs)
        }
        if count == 0 { return nil }
    }

    mutating func add(_ mistake: @autoclosure () -> String, unless isRight: Bool) {
        guard !isRight else { return }
        count += 1
        if named.count < FarmLimits.planMistakesMax { named.append(mistake()) }
    }

    package var code: String { "plan-invalid" }
    package var message: String {
        let more = count > named.count ? "; and \(count - named.count) more" : ""
        return "the plan is not one that can be run: \(named.joined(separator: "; "))\(more)."
    }
    package var remedy: String {
        "Correct the pipeline file or its tests; another version of snapfarm may have other limits."
    }
    package var exit: ExitCode { .invalidInput }

    // MARK: the whole

    private mutating func addNames(_ plan: Plan) {
        add("the pipeline has no name of one line", unless: FleetNames.isUsable(plan.pipeline))
        add("workTree is no path", unless: Self.isText(plan.workTree))
        add(
            "there are more than \(FarmLimits.plannedTestsMax) (test case × cell)",
            unless: plan.wholeTestCount <= FarmLimits.plannedTestsMax
        )
    }

    private mutating func addShare(_ plan: Plan) {
        if let share = plan.share {
            let isPlace =
                ShardPlace(index: share.place.index, total: share.place.total) != nil
            add("share is no INDEX/TOTAL", unless: isPlace)
            add("share.tests are not places in the jobs' tests", unless: plan.fits(share))
        }
        guard let part = plan.part else { return }
        add("part has more than \(FarmLimits.rulesMax) jobs", unless: Self.isFew(part.jobs))
        guard Self.isFew(part.jobs) else { return }
        add("part is not the outline of the plan", unless: plan.fits(part))
        for job in part.jobs {
            let what = "part: job \(Self.shown(job.name.text))"
            add("\(what) is no file name", unless: PathComponent.isName(job.name.text))
            addCells(job.cells, what)
        }
    }

    private mutating func addInherited(_ inherited: InheritedTests, _ plan: Plan) {
        let isWhole = plan.mode == .verify && plan.share == nil && !plan.filtered
        add("a part of a run or a record run inherits tests", unless: isWhole)
        let runs = inherited.sources.map(\.run)
        let areRuns = ([inherited.run] + runs).allSatisfy(PathComponent.isName)
        add("inherited names no run", unless: areRuns && Set(runs).count == runs.count)
        let isFew = runs.count <= FarmLimits.inheritedRunsMax
        add("inherited has more than \(FarmLimits.inheritedRunsMax) runs", unless: isFew)
        guard isFew else { return }
        add("inherited.tests are not places in the jobs' tests", unless: plan.fits(inherited))
        if let unchanged = inherited.unchanged { addUnchanged(unchanged) }
    }

    private mutating func addUnchanged(_ unchanged: UnchangedInputs) {
        let sample = unchanged.sample
        let most = FarmLimits.plannedTestsMax
        let isFew = sample.count <= most && unchanged.inputs.count <= FarmLimits.rulesMax
        add("the sample has more than \(FarmLimits.plannedTestsMax) tests", unless: isFew)
        guard isFew else { return }
        let areNames = sample.allSatisfy { $0.key.test.isUsable && PathComponent.isName($0.run) }
        add("the sample names no test or no run", unless: areNames)
        let inputs = unchanged.inputs.values.flatMap(\.first) + (unchanged.suspects ?? [])
        let areTexts = inputs.allSatisfy(Self.isText)
        add("the inputs of inherited tests are no texts", unless: areTexts)
    }

    private mutating func addLost(_ lost: LostTests) {
        let count = lost.tests.values.reduce(0) { $0 + $1.count }
        let isFew = count <= FarmLimits.plannedTestsMax && lost.tests.count <= FarmLimits.rulesMax
        add("lost has more than \(FarmLimits.plannedTestsMax) tests", unless: isFew)
        let names = [lost.run, lost.other ?? ""] + lost.tests.keys
        add("lost has a name that is no text", unless: names.allSatisfy(Self.isLabel))
        guard isFew else { return }
        let areTests = lost.tests.values.allSatisfy { $0.allSatisfy(\.isUsable) }
        add("lost has a test without a name, or with one too long", unless: areTests)
    }

    private static func isFew(_ jobs: [Job]) -> Bool { jobs.count <= FarmLimits.rulesMax }

    private mutating func addReferences(_ plan: Plan) {
        let isFew = plan.matrix.count <= FarmLimits.matrixMax
        add("matrix has more than \(FarmLimits.matrixMax) cells", unless: isFew)
        if isFew { addCells(plan.matrix, "matrix") }
        let most = FarmLimits.rulesMax
        add("there are more than \(most) renames", unless: plan.renames.count <= most)
        add("there are more than \(most) patterns in reencode", unless: plan.reencode.count <= most)
        add(
            "a pattern of reencode is too long",
            unless: plan.reencode.allSatisfy { Self.isPattern($0) }
        )
        let screens = plan.screens ?? []
        add(
            "there are more than \(FarmLimits.screensMax) screens",
            unless: screens.count <= FarmLimits.screensMax
        )
        add(
            "a name of screens is too long",
            unless: screens.allSatisfy { ScreenList.isName($0) }
        )
        addSteps("reencode", Self.steps(plan.reencode, on: FarmLimits.snapshotNameBytesMax))
    }

    private mutating func addRules(_ rules: RunRules) {
        add(
            "repeats is \(rules.repeats), not from 1 to \(FarmLimits.repeatsMax)",
            unless: (1...FarmLimits.repeatsMax).contains(rules.repeats)
        )
        let isFew = rules.quarantine.count <= FarmLimits.quarantineMax
        add("quarantine has more than \(FarmLimits.quarantineMax) entries", unless: isFew)
        for (place, entry) in rules.quarantine.prefix(FarmLimits.quarantineMax).enumerated() {
            let what = "quarantine \(place + 1)"
            add(
                "\(what) names both a test and a snapshot, or neither",
                unless: (entry.test == nil) != (entry.snapshot == nil)
            )
            let day = PruneDay(entry.until.filter { $0 != "-" })
            add("\(what): until is no day", unless: day?.text == entry.until)
            let patterns = [entry.test, entry.snapshot, entry.cell].compactMap(\.self)
            add(
                "\(what): a pattern is too long",
                unless: patterns.allSatisfy { Self.isPattern($0) }
            )
            add("\(what): reason is no text", unless: Self.isText(entry.reason))
            add(
                "\(what): cleanRuns is not from 1 to \(FarmLimits.cleanRunsMax)",
                unless: (1...FarmLimits.cleanRunsMax).contains(entry.cleanRuns ?? 1)
            )
        }
    }

    private mutating func addCleanRuns(_ counts: [String: Int]) {
        add(
            "cleanRuns has more than \(FarmLimits.quarantineMax) counts",
            unless: counts.count <= FarmLimits.quarantineMax
        )
        add(
            "cleanRuns has a count that no runs have",
            unless: counts.allSatisfy {
                Self.isLabel($0.key) && (0...FarmLimits.cleanRunsMax).contains($0.value)
            }
        )
    }

    private mutating func addDrawn(_ drawn: [DrawnReferences], _ jobs: [Job]) {
        let cells = Set(
            jobs.flatMap { job in job.cells.map { CellKey(job: job.name, cell: $0.id) } }
        )
        let named = drawn.reduce(0) { $0 + $1.cells.count }
        add("drawn has more cells than the plan", unless: named <= cells.count)
        guard named <= cells.count else { return }
        let areCells = drawn.allSatisfy { references in
            !references.cells.isEmpty
                && references.cells.allSatisfy {
                    cells.contains(CellKey(job: references.job, cell: $0))
                }
        }
        add("drawn names a cell that the plan does not have", unless: areCells)
        let canBe = drawn.allSatisfy(\.isOfferable)
        add("drawn has a renderer that no worker can offer", unless: canBe)
    }

    // MARK: patterns

    private mutating func addSteps(of quarantine: [QuarantineEntry], _ jobs: [PlannedJob]) {
        let longest = jobs.lazy.flatMap(\.tests).map(\.text.utf8.count).max() ?? 0
        let pictures = FarmLimits.snapshotNameBytesMax
        let steps =
            Self.steps(quarantine.compactMap(\.test), on: longest)
            + Self.steps(quarantine.compactMap(\.snapshot), on: pictures)
            + Self.steps(quarantine.compactMap(\.cell), on: PathComponent.bytesMax)
        addSteps("quarantine", steps)
    }

    /// Adds a mistake if `steps`, the steps of matching a list of patterns with one name, are too
    /// many.
    mutating func addSteps(_ what: String, _ steps: Int) {
        add(
            "\(what) has patterns that are too many and too long for the names they are tried on",
            unless: steps <= FarmLimits.patternStepsMax
        )
    }

    /// Returns the most steps that matching all patterns with one name can take.
    ///
    /// Patterns and names over their limits are other mistakes, so they count as much as the limit.
    static func steps(_ patterns: [String], on nameBytes: Int) -> Int {
        let bytes = patterns.reduce(0) { $0 + min($1.utf8.count, FarmLimits.patternBytesMax) }
        return bytes * min(nameBytes, FarmLimits.testIDBytesMax)
    }

    // MARK: texts

    /// Whether a text is short enough for a pipeline file and has no NUL, so that it can be an
    /// argument of a program.
    static func isText(_ text: String) -> Bool {
        text.utf8.count <= FarmLimits.pipelineBytesMax && !text.utf8.contains(0)
    }

    /// Whether a text is short enough for a pattern, which is matched with many names, and has no
    /// NUL.
    static func isPattern(_ text: String) -> Bool {
        text.utf8.count <= FarmLimits.patternBytesMax && !text.utf8.contains(0)
    }

    /// Whether a text is short enough for a name that people see, and has no NUL.
    static func isLabel(_ text: String) -> Bool {
        text.utf8.count <= FarmLimits.labelBytesMax && !text.utf8.contains(0)
    }

    /// Returns a name from another machine quoted and shortened, for a message.
    package static func shown(_ name: String) -> String {
        name.utf8.count > 80
            ? String(name.prefix(20)).debugDescription + "…" : name.debugDescription
    }
}

extension Plan {
    /// The number of test cases of the whole plan, on all machines together.
    fileprivate var wholeTestCount: Int {
        jobs.reduce(0) { $0 + $1.tests.count * $1.job.cells.count }
    }
}
