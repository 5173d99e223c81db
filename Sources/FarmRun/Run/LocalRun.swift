// The flow of `snapfarm run`: decodes, locks, discovers, plans, serves, works, judges, writes. The
// embedded coordinator is called over the same HTTP as in a fleet.
import FarmArtifacts
import FarmCore
import FarmDrivers
import FarmPipeline
import FarmReferences
import Foundation

/// A local `snapfarm run`.
package struct LocalRun: Sendable {
    let request: RunRequest

    package init(_ request: RunRequest) { self.request = request }

    /// Runs the tests and returns the exit code.
    package func perform() async throws -> Int32 {
        var prepared = try prepare()
        let found = await UnchangedRun(request: request, prepared: prepared).look()
        if let outcome = found.outcome { return try await finish(outcome, prepared) }
        prepared.inputs = found.inputs
        return try await perform(prepared)
    }

    private func perform(_ prepared: PreparedRun) async throws -> Int32 {
        let ended = Promise<Result<RunOutcome, any Error>>()
        // Outputs are written while the workers leave and the server stops.
        async let stopped: Void = run(prepared, ended)
        let outcome: RunOutcome
        do {
            outcome = try await ended.value.get()
        } catch let error as any ExplainedError where error.exit == .incomplete {
            // No test ran. CI gets the reason in the same files as a result.
            outcome = RunOutcome.failed(Problem(error), prepared, request)
            Console.explain(error)
        }
        let code = try await finish(outcome, prepared)
        try await stopped
        return code
    }

    /// Reads the inputs of a run and locks its data folder.
    ///
    /// Opens no store for a run on a coordinator elsewhere.
    func prepare() throws -> PreparedRun {
        let (source, selection) = try asked()
        let data = try DataFolder(
            request.data.map(PipelineSource.absolute) ?? source.folder + "/.snapfarm"
        )
        Self.removeLeftovers(in: data)
        var prepared = try prepare(source, selection, in: data)
        if prepared.readsStore, request.mode == .verify,
            let fact = try prepared.references?.missingPin()
        {
            Console.say(fact)
        }
        if let obstacle = prepared.place.obstacle {
            Console.say("the run's commit and branch are not known: \(obstacle)")
        }
        prepared.isModified = request.isModified(in: prepared)
        return prepared
    }

    /// Returns the pipeline, and the selection of it, that the request asks for.
    func asked() throws -> (PipelineSource, Selection) {
        var source = try PipelineSource(file: request.file)
        try source.resolveMasks()
        var selection = try Selection(
            words: request.select,
            axes: source.pipeline.axes.map(\.name)
        )
        selection.names = request.tests
        return (source, selection)
    }

    /// Ends and removes what killed processes left in a locked data folder and on this machine.
    static func removeLeftovers(in data: DataFolder) {
        Leftovers.prevent()
        Leftovers.endProcesses()
        Leftovers.removeFolders()
        data.emptyScratch()
    }

    /// Reads the inputs of a run in a data folder that the caller has locked.
    func prepare(
        _ source: PipelineSource,
        _ selection: Selection,
        in data: DataFolder
    ) throws -> PreparedRun {
        let jobs = Planner.jobs(of: source.pipeline, selection: selection)
        guard !jobs.isEmpty else { throw Selection.Mistake.nothing(request.select) }
        let place = try source.references(request.environment)
        let pin = try place?.pin() ?? ReferencePin()
        // A machine that runs only unit jobs needs no store.
        let readsStore = jobs.contains { $0.kind == .snapshot }
        let cells = Set(jobs.flatMap(\.cells).map(\.id))
        // A new picture is also compared with the cells that it may have moved from.
        let succession = SuccessionRules(cells: Planner.matrix(of: source.pipeline), renames: [])
        let needed = cells.union(cells.flatMap(succession.predecessors))
        let opensStore = readsStore && !request.isElsewhere
        let store =
            opensStore ? try place?.store(for: request.mode, pin: pin, cells: needed) : nil
        let blobs = try BlobStore(folder: data.blobs)
        blobs.removeLeftovers()
        let ci = CIEnvironment.detect(request.environment)
        let checkedOut = SourcePlace(ci, folder: source.folder, request.environment)
        return PreparedRun(
            source: source,
            selection: selection,
            data: data,
            references: place,
            store: store,
            blobs: blobs,
            pin: readsStore ? pin : ReferencePin(),
            ci: ci,
            place: checkedOut,
            built: try built(source, checkedOut),
            readsStore: readsStore
        )
    }

    private func built(_ source: PipelineSource, _ place: SourcePlace) throws -> BuiltRecord? {
        guard request.isBuilt else { return nil }
        return try BuiltRecord(of: source, commit: place.commit)
    }

    // MARK: the run

    /// Starts, runs and stops the coordinator and the workers.
    ///
    /// Sets `ended` to the outcome, or to the error, as soon as it is known.
    ///
    /// - Throws: Errors that happen after `ended` is set.
    private func run(
        _ prepared: PreparedRun,
        _ ended: Promise<Result<RunOutcome, any Error>>
    ) async throws {
        do {
            try await serve(prepared, ended)
        } catch {
            guard ended.known == nil else { throw error }
            ended.set(.failure(error))
        }
    }

    private func serve(
        _ prepared: PreparedRun,
        _ ended: Promise<Result<RunOutcome, any Error>>
    ) async throws {
        // Signals are trapped before anything starts that they must end.
        try await StopSignals.watched { stops in
            try await serving(prepared, stops) { farm in
                try await farm.run {
                    try await plan(prepared)
                } ended: { outcome in
                    ended.set(.success(try await outcome.withEvidence(of: farm.coordinator)))
                }
            }
        }
    }

    /// Adds a run that ran no test to the runs of this machine.
    private func list(_ summary: RunSummary, _ prepared: PreparedRun) {
        do {
            try ProvenRuns(data: prepared.data.path).add(summary)
        } catch {
            Console.say("warning: `snapfarm runs` will not list this run: \(error.inWords)")
        }
    }

    func plan(_ prepared: PreparedRun) async throws -> PlannedWork {
        let drivers = DriverCatalog(environment: request.environment)
        if !request.isQuiet { Console.say("looking for tests …") }
        let found: Result<Plan, any Error>
        do {
            let plan = try await plan(prepared, drivers)
            for line in await RecordAdvice(plan, prepared).lines(drivers) { Console.say(line) }
            found = .success(plan)
        } catch {
            found = .failure(error)
        }
        await drivers.shutDown()
        return try await request.work(of: try found.get(), in: prepared)
            .red(of: request.redOf, prepared, request.environment)
            .reusing(ReuseSearch(request: request, prepared: prepared))
    }

    /// Discovers the tests, and plans a run of them that inherits nothing.
    func plan(_ prepared: PreparedRun, _ drivers: DriverCatalog) async throws -> Plan {
        let phase = DiscoveryPhase(
            source: prepared.source,
            drivers: drivers,
            scratch: prepared.data.logs,
            built: prepared.built
        )
        let jobs = try await phase.discover(prepared.selection)
        try prepared.selection.check(jobs)
        return try Planner.plan(
            pipeline: prepared.source.pipeline,
            discovered: jobs,
            selection: prepared.selection,
            mode: request.mode,
            pin: prepared.pin,
            rules: request.rules,
            workTree: prepared.source.folder
        )
    }

    // MARK: the end

    /// Writes the outputs, prints the result and returns the exit code.
    ///
    /// `decisions` is the place of people's decisions; if `nil`, the ledger of the data folder.
    func finish(
        _ outcome: RunOutcome,
        _ prepared: PreparedRun,
        decisions: DecisionStore? = nil
    ) async throws -> Int32 {
        if let recording = outcome.judged.recording {
            try prepared.references?.write(
                recording.pin,
                set: recording.set
            )
        }
        let folder = OutputFolder(
            path: PipelineSource.absolute(request.output),
            sources: prepared.outputSources
        )
        var outcome = outcome
        if !request.isElsewhere {
            MisplacedPictures(
                workTree: prepared.source.folder,
                except: [prepared.data.path, folder.path]
            ).name(in: &outcome.judged.summary)
        }
        let known = decisions ?? .ledger(prepared.data.ledger)
        let rejected = await known.rejected(in: outcome.judged.summary) { Console.explain($0) }
        let summary = try await folder.write(outcome, rejected: rejected)
        try await keep(outcome, summary, folder, prepared)
        if summary.isProven, !request.isElsewhere { list(summary, prepared) }
        for problem in prepared.ci?.problems ?? [] { Console.say(problem.message) }
        prepared.ci?.deliver(summary, rejected: rejected, folder: folder.path)
        let publication = RunPublication(
            source: prepared.source,
            environment: request.environment
        )
        await PullRequestReport(
            environment: request.environment,
            ci: prepared.ci,
            store: prepared.references?.location,
            report: publication.publishAfterRun(summary, output: folder.path)
        ).show(summary, rejected: rejected)
        let closing = RunClosing(
            request: request,
            references: prepared.references,
            pin: prepared.pin,
            output: folder.path,
            rejected: rejected
        )
        closing.say(outcome, summary)
        return summary.exitCode
    }
}

/// The inputs of a run, read before it is planned.
struct PreparedRun: Sendable {
    let source: PipelineSource
    let selection: Selection
    let data: DataFolder
    /// The store and the pin of the references, or `nil` for a pipeline without references.
    let references: ReferencePlace?
    /// The references' store, or `nil` if no snapshot job runs or the run is elsewhere.
    let store: ReferenceStore?
    let blobs: BlobStore
    let pin: ReferencePin
    let ci: CIEnvironment?
    let place: SourcePlace
    /// The record of `snapfarm build`, or `nil` if this run builds by itself.
    let built: BuiltRecord?
    /// Whether a snapshot job runs, which needs the references.
    let readsStore: Bool
    /// The digest of the run's inputs, or `nil` if it was not computed.
    var inputs: Digest?
    /// Whether the work tree has changes beside its commit, or `nil` if it is unknown.
    var isModified: Bool?
    /// The inputs and references that decide verdicts, as they were before the run; not set if no
    /// job has `reuse`, or this run cannot inherit.
    let reuse = Promise<ReuseFacts>()

    /// The id of the reference set at the pin; empty without a pin.
    var setID: String { pin.isEmpty ? "" : pin.setID.hex }

    /// Returns the facts of a run, without its id, key and times.
    ///
    /// `plan` is `nil` for a run that never began.
    func facts(of plan: Plan?, mode: RunMode) -> RunFacts {
        var facts = RunFacts(
            id: "",
            key: "",
            pipeline: source.pipeline.name,
            mode: mode,
            filtered: !selection.isEmpty,
            commit: place.commit,
            branch: place.branch,
            pullRequest: ci?.pullRequest ?? "",
            set: plan == nil ? "" : setID,
            planDigest: plan?.digest.description ?? "",
            started: "",
            finished: "",
            shard: plan?.share?.place.description,
            page: ci?.page,
            part: selection.name
        )
        facts.modified = isModified
        if plan != nil, let inputs { facts.inputs = [facts.shareName ?? "": inputs] }
        return facts
    }
}
