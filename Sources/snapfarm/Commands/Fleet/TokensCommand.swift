// `snapfarm tokens`: the tokens of a coordinator's callers. Works on the data folder, even while
// the coordinator runs.
import ArgumentParser
import FarmCore
import FarmDrivers
import FarmRun
import FarmServer
import Foundation

extension AccessScope: ExpressibleByArgument {}

struct TokensCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens",
        abstract: "Makes, lists and revokes the tokens of a coordinator.",
        subcommands: [TokensCreate.self, TokensList.self, TokensRevoke.self]
    )
}

/// Opens the file with the coordinator's tokens on this machine.
func tokenFile(_ place: CoordinatorPlace) throws -> TokenFile {
    let configuration = try place.configuration()
    do {
        try FileManager.default.createDirectory(
            atPath: configuration.data,
            withIntermediateDirectories: true
        )
    } catch {
        throw DataFolderError.unusable(configuration.data, error.inWords)
    }
    let shared = try configuration.sharedTokens(OwnEnvironment.variables)
    return TokenFile(path: configuration.tokens, shared: shared, user: NSUserName()) {
        Int64(Date().timeIntervalSince1970 * 1000)
    }
}

struct TokensCreate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Makes a token and prints it. It is never shown again."
    )

    @Argument(help: "A name for it: who uses it.") var name: String
    @OptionGroup var place: CoordinatorPlace
    @Option(help: "submit, work, read, review or admin; more than one by repeating it.")
    var scope: [AccessScope] = []
    @Option(help: "Days until it expires.") var days: Int = 365
    @Option(help: "Whose it is: decisions show this name.") var person: String?
    @Option(
        help: "A pattern of the pipelines it reaches (pay-*); more by repeating it (default: all)."
    )
    var pipeline: [String] = []

    func validate() throws {
        guard !scope.isEmpty else {
            throw ValidationError(
                "name what it is for: --scope submit, work, read, review or admin."
            )
        }
        guard (1...3_650).contains(days) else {
            throw ValidationError("--days is \(days); it must be from 1 to 3650.")
        }
    }

    func run() throws {
        let expires = Date().addingTimeInterval(Double(days) * 86_400).timeIntervalSince1970
        var random = SystemRandomNumberGenerator()
        let token = try tokenFile(place).create(
            name: name,
            scopes: Set(scope),
            expires: Int64(expires * 1000),
            person: person,
            pipelines: pipeline.isEmpty ? nil : pipeline,
            using: &random
        )
        Console.print(token + "\n")
        let scopes = Set(scope).map(\.rawValue).sorted().joined(separator: ", ")
        Console.say(
            "\(name): \(scopes), for \(pipelineWords(pipeline)), until "
                + "\(ISO8601.text(Int64(expires * 1000)).prefix(10)). "
                + "Keep it now; only its hash is kept here."
        )
    }
}

/// Returns the pipelines that patterns reach, in words.
func pipelineWords(_ patterns: [String]) -> String {
    let reach = PipelineReach(patterns: patterns.isEmpty ? nil : patterns)
    return reach.isEverything ? "all pipelines (*)" : "the pipelines \(reach.words)"
}

struct TokensList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the tokens, without the tokens themselves."
    )

    @OptionGroup var place: CoordinatorPlace
    @Flag(help: "Print one JSON document.") var json = false

    /// A token in the JSON document.
    private struct Row: Encodable {
        var name: String
        var scopes: [AccessScope]
        var person: String?
        /// The patterns of the pipelines that the token reaches; `*` for all.
        var pipelines: [String]
        /// Whether the token is an invitation whose link was not opened yet.
        var invited: Bool
        var created: String
        var expires: String?
        var expired: Bool
    }

    private struct Document: Encodable {
        var schemaVersion = 1
        var tokens: [Row]
    }

    func run() throws {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let rows = try tokenFile(place).records().map { record in
            Row(
                name: record.name,
                scopes: record.scopes,
                person: record.person,
                pipelines: record.pipelines ?? ["*"],
                invited: record.invitation != nil,
                created: ISO8601.text(record.created),
                expires: record.expires.map { ISO8601.text($0) },
                expired: record.expires.map { $0 <= now } ?? false
            )
        }
        if json { return try FleetOutput.print(Document(tokens: rows)) }
        let table = rows.map { row in
            [
                row.name, row.scopes.map(\.rawValue).joined(separator: ","),
                row.pipelines.joined(separator: ","),
                (row.person ?? "") + (row.invited ? " (invited)" : ""),
                row.expired
                    ? "expired" : row.expires.map { "until " + $0.prefix(10) } ?? "for ever",
            ]
        }
        FleetOutput.print(table: table)
        if rows.isEmpty { Console.say("there are no tokens.") }
    }
}

struct TokensRevoke: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revokes a token: its next call is refused."
    )

    @Argument(help: "The token's name.") var name: String
    @OptionGroup var place: CoordinatorPlace

    func run() throws {
        try tokenFile(place).revoke(name: name)
        Console.print("\(name) is revoked.")
    }
}
