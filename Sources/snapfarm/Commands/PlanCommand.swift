import ArgumentParser
import FarmCore
import FarmDrivers
import Foundation

/// `snapfarm plan`: matrix, test cases and a forecast of shards; runs nothing.
struct PlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Shows what a run would do, and runs nothing."
    )

    @Argument(help: "The pipeline file.") var file: String
    @Option(
        name: .customLong("select"),
        help: "KEY=VALUE; keys job, cell, device, test, or an axis."
    )
    var select: [String] = []
    @Option(help: "Workers the forecast counts with (default: cores).") var workers: Int?
    @Flag(help: "Print one JSON document.") var json = false

    func run() async throws {
        var source = try PipelineSource(file: file)
        try source.resolveMasks()
        let environment = ProcessInfo.processInfo.environment
        let scratch = try ScratchFolder("plan")
        defer { scratch.remove() }
        let selection = try Selection(words: select, axes: source.pipeline.axes.map(\.name))
        let discovery = DiscoveryPhase(
            source: source,
            drivers: DriverCatalog(environment: environment),
            scratch: scratch.path
        )
        let found = try await discovery.discover(selection)
        let plan = try Planner.plan(
            pipeline: source.pipeline,
            discovered: found,
            selection: selection,
            mode: .verify,
            pin: try source.references(environment)?.pin().text ?? "",
            workTree: source.folder
        )
        let count = workers ?? ProcessInfo.processInfo.activeProcessorCount
        let forecast = PlanForecast(plan, workers: count)
        Console.print(json ? try forecast.json() : forecast.text())
    }
}
