import ArgumentParser
import FarmCore
import FarmDrivers
import FarmRun
import Foundation

/// `snapfarm merge`: makes one run of the outputs of all shards or parts.
struct MergeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Makes one run of the outputs of all its parts.",
        discussion: """
            The exit code is the run's. A set of shards or parts that is not one complete run ends in 2, \
            names what is wrong with which folder, and writes nothing.
            """
    )

    @Argument(help: "The output folders of all shards or parts, in any order.") var folders:
        [String]
    @Option(help: "Where the joined run goes.") var output: String
    @OptionGroup var pipeline: PipelineOption
    @Option(help: "File that keeps how long tests take, for the CI's cache.") var history: String?
    @Flag(help: "Print summary.json on standard output.") var json = false
    @OptionGroup var quiet: QuietOption

    func validate() throws {
        guard folders.count <= 2 * FarmLimits.shardsMax else {
            throw ValidationError("\(folders.count) folders are more than any run has.")
        }
        if let inside = MergeRequest.folder(of: folders, inTheWayOf: output) {
            throw ValidationError("--output \(output) is in the way of the shard \(inside).")
        }
    }

    func run() async throws {
        let request = MergeRequest(
            folders: folders,
            output: output,
            pipeline: pipeline.finder.named,
            history: history.map(HistoryFile.init),
            printsJSON: json,
            isQuiet: quiet.isOn,
            environment: OwnEnvironment.variables
        )
        let code = try await ShardMerge(request: request).perform()
        if code != ExitCode.passed.rawValue { Foundation.exit(code) }
    }
}
