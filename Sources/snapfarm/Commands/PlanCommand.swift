// `snapfarm plan`: its options. `PlanForecast` formats the output.
import ArgumentParser
import FarmCore
import FarmDrivers
import FarmReferences
import FarmRun
import Foundation

/// `snapfarm plan`: matrix, test cases and a forecast of shards; runs nothing.
struct PlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Shows what a run would do, and runs nothing."
    )

    @OptionGroup var pipeline: PipelineArgument
    @Option(
        name: .customLong("select"),
        help: "KEY=VALUE; keys job, cell, device, test, or an axis."
    )
    var select: [String] = []
    @Option(help: "Workers the forecast counts with, for example 4,8,16 (default: cores).")
    var workers: String?
    @Option(help: "File that knows how long tests take.") var history: String?
    @Option(help: "INDEX/TOTAL, counted from 0: only that machine's share (default: the CI's).")
    var shard: String?
    @Option(help: "A coordinator's configuration, whose launchers say what workers cost.")
    var config: String?
    @Flag(help: "Build nothing: use what `snapfarm build` made.") var built = false
    @Flag(help: "Print one JSON document.") var json = false

    func run() async throws {
        let request = PlanRequest(
            file: try pipeline.finder.file(),
            select: select,
            workers: try counts(),
            history: history.map(HistoryFile.init),
            shard: try shard.map { try ShardPlace(parsing: $0) },
            launchers: try config.map {
                try CoordinatorConfiguration(file: $0, data: ".").settings.launchers
            } ?? [],
            isBuilt: built,
            environment: OwnEnvironment.variables
        )
        let forecast = try await request.forecast()
        Console.print(json ? try forecast.json() : forecast.text())
    }

    /// Returns the numbers of workers to predict for, in the order of the command line.
    private func counts() throws -> [Int] {
        guard let workers else { return [ProcessInfo.processInfo.activeProcessorCount] }
        let counts = try workers.split(separator: ",", omittingEmptySubsequences: false).map {
            guard let count = Int($0), (1...FarmLimits.workersMax).contains(count) else {
                throw ValidationError(
                    "--workers \(workers) is not a list of numbers from 1 to "
                        + "\(FarmLimits.workersMax), such as 4,8,16."
                )
            }
            return count
        }
        guard counts.count <= FarmLimits.forecastsMax else {
            throw ValidationError(
                "--workers asks for \(counts.count) forecasts; at most \(FarmLimits.forecastsMax)."
            )
        }
        return counts
    }
}
