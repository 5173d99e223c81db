// The options of all `refs` commands: the place of store and pin, and the form of the output.
import ArgumentParser
import FarmCore
import FarmDrivers
import FarmGit
import FarmReferences
import FarmRun
import Foundation

/// The options that name the store and the pin of the references.
struct RefsOptions: ParsableArguments {
    @OptionGroup var pipeline: PipelineOption
    @Option(help: "The store, a path or a Git URL, instead of the pipeline's.") var store: String?
    @Option(
        name: .customLong("pin"),
        help: "The pin, instead of the pipeline's (default with --store: snapfarm.refs)."
    )
    var pinPath: String?
    @Flag(help: "Print one JSON document.") var json = false

    func place(store named: String? = nil) throws -> ReferencePlace {
        let finder = ReferencePlaceFinder(
            workingFolder: FileManager.default.currentDirectoryPath,
            environment: OwnEnvironment.variables
        )
        return try finder.find(pipeline: pipeline.file, store: named ?? store, pinPath: pinPath)
    }

    /// The printer of the next steps after a result.
    var words: ResultPrinter { ResultPrinter(besideDocument: json) }

    /// Prints a result: `body` as a JSON document, or else the lines for people.
    func show(_ body: some Encodable, lines: @autoclosure () -> [String]) throws {
        if json {
            try RefsOutput.print(body)
        } else {
            for line in lines() { Console.print(line + "\n") }
        }
    }
}

/// The options for a remote store.
struct RemoteOptions: ParsableArguments {
    @Option(help: "A remote copy of a store that is a folder (default: its Git remote).")
    var remote: String?
    @Option(help: "Private key for SSH (or SNAPFARM_SSH_KEY).") var sshKey: String?
    @Option(help: "Known hosts for SSH (or SNAPFARM_KNOWN_HOSTS).") var knownHosts: String?
    @Option(help: "PEM certificates for HTTPS (or SNAPFARM_CA_FILE).") var caFile: String?

    var access: RemoteAccess {
        var access = RemoteAccess.own(OwnEnvironment.variables)
        access.identityFile = sshKey ?? access.identityFile
        access.knownHostsFile = knownHosts ?? access.knownHostsFile
        access.certificatesFile = caFile ?? access.certificatesFile
        return access
    }
}

extension ReferencePlace {
    func remote(_ options: RemoteOptions) throws -> RemoteStore? {
        try remote(named: options.remote, options.access)
    }

    func mirror(_ options: RemoteOptions) throws -> RemoteStore? { try mirror(options.access) }
}

/// Prints the JSON document of a `refs` command.
enum RefsOutput {
    private struct Document<Body: Encodable>: Encodable {
        let body: Body

        private enum CodingKeys: String, CodingKey { case schemaVersion }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(1, forKey: .schemaVersion)
            // Encoded into the same object, because every body is a keyed value.
            try body.encode(to: encoder)
        }
    }

    static func print(_ body: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        let bytes = try encoder.encode(Document(body: body))
        Console.print(String(decoding: bytes, as: UTF8.self) + "\n")
    }
}
