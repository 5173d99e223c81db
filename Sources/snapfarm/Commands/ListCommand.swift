// `snapfarm list`: the names of a pipeline's tests, for programs that choose some of them.
import ArgumentParser
import FarmDrivers
import FarmRun

extension ListFormat: ExpressibleByArgument {}

/// `snapfarm list`: prints names, and nothing else, on standard output; runs nothing.
struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the tests of a pipeline, one a line, and runs nothing.",
        discussion: "What it prints, `snapfarm run --tests-from` takes."
    )

    @OptionGroup var pipeline: PipelineArgument
    @Option(
        name: .customLong("select"),
        help: "KEY=VALUE; keys job, cell, device, test, or an axis."
    )
    var select: [String] = []
    @Option(help: "tests: ids; atoms: suites as JUnit names them; json: both, by job.")
    var format: ListFormat = .tests
    @Flag(help: "Build nothing: use what `snapfarm build` made.") var built = false

    func run() async throws {
        let request = ListRequest(
            file: try pipeline.finder.file(),
            select: select,
            isBuilt: built,
            environment: OwnEnvironment.variables
        )
        Console.print(try await request.text(format))
    }
}
