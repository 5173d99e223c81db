// What all subcommands of `refs` take: where the store and the pin are, and how to print.
import ArgumentParser
import FarmCore
import FarmDrivers
import FarmGit
import FarmReferences
import Foundation

/// Which references are meant.
struct RefsOptions: ParsableArguments {
    @Option(help: "The pipeline file (or SNAPFARM_PIPELINE).") var pipeline: String?
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
        return try finder.find(pipeline: pipeline, store: named ?? store, pinPath: pinPath)
    }

    /// Prints a result: `body` as the one JSON document, or the lines for people.
    func show(_ body: some Encodable, lines: @autoclosure () -> [String]) throws {
        if json {
            try RefsOutput.print(body)
        } else {
            for line in lines() { Console.print(line + "\n") }
        }
    }
}

/// How to speak to a remote store.
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

extension RemoteAccess {
    /// As the environment says.
    static func own(_ environment: [String: String]) -> RemoteAccess {
        var access = RemoteAccess(environment: environment)
        access.identityFile = environment["SNAPFARM_SSH_KEY"]
        access.knownHostsFile = environment["SNAPFARM_KNOWN_HOSTS"]
        access.certificatesFile = environment["SNAPFARM_CA_FILE"]
        return access
    }
}

/// JSON and tables.
enum RefsOutput {
    private struct Document<Body: Encodable>: Encodable {
        let body: Body

        private enum CodingKeys: String, CodingKey { case schemaVersion }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(1, forKey: .schemaVersion)
            // Into the same object: every body is a keyed value.
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

    /// Columns of equal width, `numbers` set to the right; the last one is as long as it is.
    static func table(_ rows: [[String]], numbers: Set<Int> = []) -> [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            row.enumerated().map { column, text in
                let space = String(repeating: " ", count: widths[column] - text.count)
                if numbers.contains(column) { return space + text }
                return column == row.count - 1 ? text : text + space
            }.joined(separator: "  ")
        }
    }

    /// `12.3 MB`; powers of 1000.
    static func bytes(_ count: Int) -> String {
        var value = Double(count)
        for unit in ["B", "kB", "MB", "GB"] {
            if value < 1_000 || unit == "GB" {
                return unit == "B" ? "\(count) B" : String(format: "%.1f \(unit)", value)
            }
            value /= 1_000
        }
        return "\(count) B"
    }

    static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}
