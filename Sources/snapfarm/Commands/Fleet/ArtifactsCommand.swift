// `snapfarm artifacts`: what a run on a coordinator left, on this machine.
import ArgumentParser
import FarmAPI
import FarmCore
import FarmRun
import FarmTerminal
import Foundation

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
    @Flag(help: "Say only what went wrong.") var quiet = false

    func run() async throws {
        let id = RunID(id)
        let folder = PipelineSource.absolute(output)
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true
        )
        try await options.ask { client in
            let known = try await client.artifacts(id)
            for name in names where !known.contains(where: { $0.name == name }) {
                throw UnknownArtifact(name: name, known: known.map(\.name))
            }
            for artifact in known where names.isEmpty || names.contains(artifact.name) {
                try await download(artifact, of: id, to: folder, client)
            }
        }
    }

    private func download(
        _ artifact: ArtifactSummary,
        of run: RunID,
        to folder: String,
        _ client: CoordinatorClient
    ) async throws {
        guard let digest = Digest(artifact.sha256), !artifact.name.hasSlash,
            !artifact.name.isEmpty, artifact.name.utf8.first != UInt8(ascii: ".")
        else {
            throw APIError.malformed(
                url: client.url,
                reason: "an artifact has no name or digest that can be used"
            )
        }
        let target = folder + "/" + artifact.name
        // Its name says whose bytes it holds: a part of another artifact is never continued.
        let part = "\(target).\(digest.hex.prefix(16)).part"
        try await client.download(artifact, of: run, digest, toFileAt: part)
        guard rename(part, target) == 0 else {
            throw OutputError.unwritable(path: target, reason: String(cString: strerror(errno)))
        }
        if !quiet { Console.say("\(target): \(artifact.bytes) bytes") }
    }
}

/// A name that is none of the run's artifacts.
private struct UnknownArtifact: ExplainedError {
    let name: String
    let known: [String]

    var code: String { "artifact-unknown" }
    var message: String {
        "there is no artifact \(name.prefix(100)); there are \(known.joined(separator: ", "))."
    }
    var remedy: String { "Name one of them, or none for all." }
    var exit: ExitCode { .usage }
}
