// `snapfarm artifacts`: the artifacts of a coordinator's runs, and the removal of old runs.
import ArgumentParser
import FarmAPI
import FarmCore
import FarmRun

struct ArtifactsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "artifacts",
        abstract: "Lists, downloads and removes what runs left.",
        subcommands: [ArtifactsList.self, ArtifactsDownload.self, ArtifactsPrune.self]
    )
}

struct ArtifactsList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the artifacts of a run that has ended."
    )

    @Argument(help: "The run's id.") var id: String
    @OptionGroup var options: CoordinatorOptions
    @Flag(help: "Print one JSON document.") var json = false

    private struct Document: Encodable {
        var schemaVersion = 1
        var artifacts: [ArtifactSummary]
    }

    func run() async throws {
        let artifacts = try await options.ask { try await $0.artifacts(RunID(id)) }
        if json { return try FleetOutput.print(Document(artifacts: artifacts)) }
        FleetOutput.print(table: artifacts.map { [$0.name, "\($0.bytes) bytes", $0.sha256] })
    }
}

struct ArtifactsDownload: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "download",
        abstract: "Downloads artifacts of a run, and checks them against their digests.",
        discussion: "A download that was cut off goes on where it stopped."
    )

    @Argument(help: "The run's id.") var id: String
    @Argument(help: "Names; all where none is given.") var names: [String] = []
    @OptionGroup var options: CoordinatorOptions
    @Option(help: "The folder to download into.") var output: String = "."
    @OptionGroup var quiet: QuietOption

    func run() async throws {
        let isQuiet = quiet.isOn
        let download = ArtifactDownload(
            run: RunID(id),
            folder: PipelineSource.absolute(output)
        ) { path, bytes in
            if !isQuiet { Console.say("\(path): \(bytes) bytes") }
        }
        let found = try await options.ask { try await download.fetch(names, from: $0) }
        let bytes = found.reduce(0) { $0 + $1.bytes }
        Console.print(
            "\(Amount.count(found.count, "artifact")) in \(output), \(Amount.bytes(bytes))"
        )
    }
}
