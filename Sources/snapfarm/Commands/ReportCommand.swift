// `snapfarm report`: a lasting address for the page of a run.
import ArgumentParser
import FarmCore
import FarmDrivers
import FarmRun

/// `snapfarm report`: publishes the report of a run.
struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Publishes the report of a run, so that it gets a lasting address.",
        discussion: """
            The place is `publish` of the pipeline file: a bucket, a folder, or a command that \
            uploads. Prints the address. In CI, red runs are published by themselves; comparisons \
            of releases with `snapfarm compare --report DIR --publish`.
            """
    )

    @OptionGroup var pipeline: PipelineArgument
    @Option(name: .customLong("run"), help: "A run of the data folder, or latest.")
    var run: String = "latest"
    @Option(help: "Where state is kept (default: .snapfarm beside the pipeline file).")
    var data: String?

    func run() async throws {
        let address = try await RunReport(
            run: run,
            file: pipeline.finder.named,
            data: data,
            environment: OwnEnvironment.variables
        ).perform()
        if let address { Console.print(address + "\n") }
    }
}
