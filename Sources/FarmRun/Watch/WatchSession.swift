// The loop of `watch`: wait for saved files, run the test cases that read them, judge all, show it.
// Changes that come while tests run wait for the next round, all together.
import FarmArtifacts
import FarmCore
import FarmDrivers
import FarmPipeline
import FarmReferences
import FarmReports
import FarmReview
import FarmServer
import Foundation
import Logging

struct WatchSession: Sendable {
    private let request: WatchRequest
    private let local: LocalRun
    private let farm: EmbeddedFarm
    private let drivers: DriverCatalog
    /// The page, known when the first run has been judged; never known without references.
    let page = Promise<LocalPage>()
    private var tree: WatchedTree
    private var runs = WatchedRuns()
    /// The references at the last pin, with the pin and the cells that they are of.
    private var known: (pin: ReferencePin, cells: [CellID: CellReferences])?
    /// The run that the page shows, with the pipeline that it is of.
    private var shown: (run: ReviewedRun, source: PipelineSource)?
    /// The last plan, or `nil` if its round failed.
    private var planned: Plan?
    private var round = 0

    init(
        _ request: WatchRequest,
        _ local: LocalRun,
        _ farm: EmbeddedFarm,
        _ drivers: DriverCatalog,
        _ tree: WatchedTree
    ) {
        self.request = request
        self.local = local
        self.farm = farm
        self.drivers = drivers
        self.tree = tree
    }

    /// Runs all test cases, and then those whose files are saved, until it is cancelled.
    ///
    /// - Throws: `CancellationError`, and errors after which files cannot be watched.
    mutating func loop() async throws {
        // Files whose change no run has seen.
        var changed: Set<String> = []
        while true {
            round += 1
            let began = Date()
            do {
                try await run(changed)
                changed = []
            } catch {
                try Task.checkCancellation()
                fail(error)
            }
            tree.add(runs.files, since: began)
            changed.formUnion(try await tree.nextChanges())
        }
    }

    // MARK: a round

    /// Runs the test cases that a change reaches, and shows the judgement of all.
    private mutating func run(_ changed: Set<String>) async throws {
        let (source, selection) = try local.asked()
        let prepared = try local.prepare(source, selection, in: farm.prepared.data)
        guard prepared.references?.location == farm.prepared.references?.location else {
            throw WatchError.otherStore
        }
        var plan = try await local.plan(prepared, drivers)
        plan.recordInputs()
        let facts = try facts(of: plan, prepared)
        let due = WatchRules.due(in: plan, facts, after: runs.last, changed: changed)
        guard !due.isEmpty || plan != planned else { return }
        if due.isEmpty, planned == nil, !runs.isEmpty { Console.say("mended; no test is to run.") }
        planned = plan
        let read = runs.files
        let saved = changed.filter { facts.names($0) || read.contains($0) }
        if !due.isEmpty {
            sayBegun(due, saved.isEmpty ? changed : saved)
            let work = PlannedWork(plan.narrowed(to: due), costs: nil)
            runs.add(try await farm.run(work, of: prepared), facts)
        }
        let references = known?.cells ?? [:]
        guard let evidence = runs.evidence(of: plan, references, round: round) else { return }
        let judged = RunJudge.judge(evidence)
        if round.isMultiple(of: FarmLimits.watchRoundsKept) {
            try runs.removeOthers(than: judged, from: prepared.blobs)
        }
        try show(judged, of: plan, prepared)
        if !due.isEmpty { sayEnded(judged.summary, saved.isEmpty ? changed : saved) }
    }

    /// Returns the inputs of the plan's jobs, and the references at its pin.
    private mutating func facts(of plan: Plan, _ prepared: PreparedRun) throws -> WatchFacts {
        let workTree = prepared.source.folder
        var facts = WatchFacts()
        let own = [prepared.source.file, prepared.references?.pinPath].compactMap(\.self)
        facts.own = Set(own.map { $0.path(below: workTree) ?? $0 })
        for job in plan.jobs.map(\.job) {
            var inputs = WatchFacts.Inputs()
            inputs.entries = try DriverCatalog.entries(of: job, workTree: workTree)
            if inputs.entries != nil, case .text(let scenes)? = job.driver.values["scenes"] {
                let path = prepared.source.path(scenes)
                inputs.entriesFile = path.path(below: workTree) ?? path
            }
            let words = CommandWords.files(of: job.driver, in: workTree)
            inputs.patterns = job.inputs.map { ($0 + words).map { Glob($0, mode: .path) } }
            facts.inputs[job.name] = inputs
        }
        let cells = plan.jobs.map(\.job).filter { $0.kind == .snapshot }.flatMap(\.cells).map(\.id)
        if known?.pin != plan.pin { known = nil }
        var references = known?.cells ?? [:]
        for cell in cells where references[cell] == nil {
            references[cell] = try prepared.store?.references(of: cell, for: plan)
        }
        known = (plan.pin, references)
        facts.references = references.mapValues(MadeReferences.init)
        return facts
    }

    // MARK: the page

    private mutating func show(_ judged: JudgedRun, of plan: Plan, _ prepared: PreparedRun) throws {
        guard prepared.references != nil else { return }
        let store = prepared.store
        let run = ReviewedRun(judged, of: plan, blobs: prepared.blobs) { try store?.read($0) }
        shown = (run, prepared.source)
        try show(run, prepared.source, [])
    }

    private func show(
        _ run: ReviewedRun,
        _ source: PipelineSource,
        _ failures: [Problem]
    ) throws {
        let review = request.review(source)
        let decisions = DecisionStore.ledger(ReviewSession.data(review, source) + "/ledger.sqlite")
        let place = try LocalRunPage(
            ReviewSession(again: run, source, review, decisions),
            failures: failures
        ) { lines in
            for line in lines { Console.say(line) }
        }
        let desk = RunPage(place)
        if let page = page.known { return page.show(desk) }
        let logger = Logger(label: "snapfarm") { _ in
            var log = EventLog(format: .text) { Console.say($0.trimmingSpaces()) }
            log.logLevel = .critical
            return log
        }
        var generator = SystemRandomNumberGenerator()
        page.set(
            LocalPage(
                desk: desk,
                person: place.person,
                logger: logger,
                clock: { Int64(Date().timeIntervalSince1970 * 1000) },
                using: &generator
            )
        )
    }

    /// Shows an error on the terminal and beside the last run on the page, until the next round.
    private mutating func fail(_ error: any Error) {
        planned = nil
        let problem = Problem(
            error as? any ExplainedError ?? WatchError.unexplained(error.inWords)
        )
        Console.say("error: \(problem.message)")
        if !problem.remedy.isEmpty { Console.say(problem.remedy) }
        guard let shown else { return }
        do {
            try show(shown.run, shown.source, [problem])
        } catch {
            Console.say("the page does not show it: \(error.inWords)")
        }
    }

    // MARK: the terminal

    private func sayBegun(_ due: Set<TestKey>, _ changed: Set<String>) {
        let names = changed.sorted().prefix(FarmLimits.watchNamesMax).joined(separator: ", ")
        let rest = changed.count > FarmLimits.watchNamesMax ? ", …" : ""
        let what = changed.isEmpty ? "all" : names + rest
        Console.say("\(what): \(Amount.count(due.count, "test"))")
    }

    private func sayEnded(_ summary: RunSummary, _ changed: Set<String>) {
        let words = ResultPrinter(besideDocument: false)
        words.write(
            TerminalSummary.verdict(
                summary,
                style: words.hasColour(request.environment) ? .ansi : .plain,
                width: words.columns
            )
        )
        guard let saved = tree.newest(of: changed) else { return }
        let seconds = Date().timeIntervalSince1970 - saved
        let tenths = Int((seconds * 10).rounded())
        Console.say("shown \(tenths / 10).\(tenths % 10) s after the save.")
    }
}

extension Plan {
    /// Lets drivers record the files that each test case reads, also for jobs without `reuse`.
    fileprivate mutating func recordInputs() {
        let kinds = Set(DriverCatalog.kinds.filter { $0.inputs == .recorded }.map(\.name))
        for index in jobs.indices where kinds.contains(jobs[index].job.driver.name) {
            jobs[index].job.reuse = jobs[index].job.reuse ?? .usual
        }
    }
}
