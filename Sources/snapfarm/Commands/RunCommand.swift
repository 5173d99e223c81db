// `snapfarm run`: its options, and nothing else; the flow is FarmRun.
import ArgumentParser
import FarmCore
import Foundation

extension RunMode: ExpressibleByArgument {}

/// `snapfarm run`: the whole path of a picture, on this machine.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs a pipeline and judges it."
    )

    @Argument(help: "The pipeline file.") var file: String
    @Option(help: "verify compares with the references, record makes new ones.")
    var mode: RunMode = .verify
    @Option(
        name: .customLong("select"),
        help: "KEY=VALUE; keys job, cell, device, test, or an axis."
    )
    var select: [String] = []
    @Option(help: "Worker processes (default: cores).") var workers: Int?
    @Option(help: "Where reports and artifacts go.") var output: String = "snapfarm-out"
    @Option(help: "Where state is kept (default: .snapfarm beside the pipeline file).")
    var data: String?
    @Option(help: "Port of the embedded coordinator (default: any free one).") var port: Int = 0
    @Option(help: "File that keeps how long tests take, for the CI's cache.") var history: String?
    @Option(help: "INDEX/TOTAL, counted from 0: run only this machine's share (default: the CI's).")
    var shard: String?
    @Flag(help: "Finish the open cells of the last run of this plan.") var resume = false
    @Flag(help: "Print summary.json on standard output.") var json = false
    @Flag(help: "Say only what went wrong.") var quiet = false

    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("--port is \(port); it must be from 0 to 65535.")
        }
        if let workers, !(1...FarmLimits.workersMax).contains(workers) {
            throw ValidationError(
                "--workers is \(workers); it must be from 1 to \(FarmLimits.workersMax)."
            )
        }
    }

    func run() async throws {
        let request = RunRequest(
            file: file,
            mode: mode,
            select: select,
            workers: workers ?? ProcessInfo.processInfo.activeProcessorCount,
            output: output,
            data: data,
            port: port,
            resumes: resume,
            printsJSON: json,
            isQuiet: quiet,
            history: history.map(HistoryFile.init),
            shard: try shard.map { try ShardPlace(parsing: $0) },
            environment: ProcessInfo.processInfo.environment
        )
        let code = try await FarmRun(request).perform()
        if code != FarmExit.passed.rawValue { Foundation.exit(code) }
    }
}
