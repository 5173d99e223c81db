// `snapfarm build`: its options, and its output.
import ArgumentParser
import FarmCore
import FarmDrivers
import FarmRun

/// `snapfarm build`: builds once for runs on many machines.
struct BuildCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "build",
        abstract: "Builds the tests of a pipeline once, for runs that only run them.",
        discussion: """
            For jobs whose driver builds: xcodebuild and swiftpm. Hand the printed paths on to \
            other machines, and start `snapfarm run --built` there, with the sources at the same \
            path. Needs no references.
            """
    )

    @OptionGroup var pipeline: PipelineArgument
    @Option(
        name: .customLong("select"),
        help: "Build only for what matches KEY=VALUE, as in `snapfarm run`. May be repeated."
    )
    var select: [String] = []

    func run() async throws {
        let request = BuildRequest(
            file: try pipeline.finder.file(),
            select: select,
            environment: OwnEnvironment.variables
        )
        Console.print(try await request.perform().text())
    }
}
