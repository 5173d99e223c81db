// `snapfarm artifacts`: the artifacts of a coordinator's runs, and the removal of old runs.
import ArgumentParser
import FarmAPI
import FarmCore
import FarmDrivers
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

    @Argument(help: "The run's id, or latest: the newest ended run of this branch.")
    var id: String
    @OptionGroup var options: CoordinatorOptions
    @Flag(help: "Print one JSON document.") var json = false

    private struct Document: Encodable {
        var schemaVersion = 1
        var artifacts: [ArtifactSummary]
    }

    func run() async throws {
        let named = RequestedRun(id, .ended, environment: OwnEnvironment.variables)
        let artifacts = try await options.ask { try await $0.artifacts(named.id(at: $0)) }
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

    @Argument(help: "The run's id, or latest: the newest ended run of this branch.")
    var id: String
    @Argument(help: "Names; all where none is given.") var names: [String] = []
    @OptionGroup var options: CoordinatorOptions
    @Option(help: "The folder to download into.") var output: String = "."
    @OptionGroup var quiet: QuietOption

    func run() async throws {
        let isQuiet = quiet.isOn
        let named = RequestedRun(id, .ended, environment: OwnEnvironment.variables)
        let (names, output) = (names, output)
        let found = try await options.ask { client in
            let download = ArtifactDownload(
                run: try await named.id(at: client),
                folder: PipelineSource.absolute(output)
            ) { path, bytes in
                if !isQuiet { Console.say("\(path): \(bytes) bytes") }
            }
            return try await download.fetch(names, from: client)
        }
        let bytes = found.reduce(0) { $0 + $1.bytes }
        Console.print(
            "\(Amount.count(found.count, "artifact")) in \(output), \(Amount.bytes(bytes))"
        )
    }
}
