// The flow of `snapfarm plan`: decodes, discovers, plans, predicts. Runs no test and keeps nothing.
import FarmCore
import FarmDrivers
import FarmReferences
import Foundation

/// The options of `snapfarm plan`, and its flow.
package struct PlanRequest: Sendable {
    /// The path of the pipeline file.
    let file: String
    let select: [String]
    /// The numbers of workers to predict the duration for; at least one.
    let workers: [Int]
    /// The file with the history of durations, or `nil` if there is none.
    let history: HistoryFile?
    /// This machine's share of the plan; if `nil`, the CI's variables decide.
    let shard: ShardPlace?
    /// The launchers whose workers the run could use, for the forecast of costs.
    let launchers: [LauncherSettings]
    /// Whether the products of an earlier `snapfarm build` are used.
    let isBuilt: Bool
    let environment: [String: String]

    package init(
        file: String,
        select: [String],
        workers: [Int],
        history: HistoryFile?,
        shard: ShardPlace?,
        launchers: [LauncherSettings] = [],
        isBuilt: Bool = false,
        environment: [String: String]
    ) {
        self.file = file
        self.select = select
        self.workers = workers
        self.history = history
        self.shard = shard
        self.launchers = launchers
        self.isBuilt = isBuilt
        self.environment = environment
    }

    /// Returns the forecast of a run.
    ///
    /// Prints to standard error why a run could not read its references.
    package func forecast() async throws -> PlanForecast {
        var source = try PipelineSource(file: file)
        try source.resolveMasks()
        let scratch = try OwnedFolder("plan")
        defer { scratch.remove() }
        let selection = try Selection(words: select, axes: source.pipeline.axes.map(\.name))
        let discovery = DiscoveryPhase(
            source: source,
            drivers: DriverCatalog(environment: environment),
            scratch: scratch.path,
            built: isBuilt
                ? try BuiltRecord(of: source, commit: self.place(of: source).commit) : nil
        )
        let found = try await discovery.discover(selection)
        let place = try source.references(environment)
        let pin = try place?.pin() ?? ReferencePin()
        let cells = Set(found.filter { $0.job.kind == .snapshot }.flatMap(\.job.cells).map(\.id))
        try place.flatMap { try $0.obstacle(pin: pin, cells: cells) }.map {
            Console.say("\($0.message) \($0.remedy)")
        }
        var plan = try Planner.plan(
            pipeline: source.pipeline,
            discovered: found,
            selection: selection,
            mode: .verify,
            pin: pin,
            workTree: source.folder
        )
        let known = history.flatMap { $0.read(Console.say) }
        plan.lost = known?.lost(
            from: plan,
            branch: self.place(of: source).branch,
            set: pin.isEmpty ? "" : pin.setID.hex
        )
        MachineShare.note(shard, selects: plan.filtered, environment).map(Console.say)
        return PlanForecast(
            MachineShare.take(of: plan, at: shard, history: known, environment),
            workers: workers,
            history: known,
            launchers: launchers
        )
    }

    private func place(of source: PipelineSource) -> SourcePlace {
        SourcePlace(CIEnvironment.detect(environment), folder: source.folder, environment)
    }
}
