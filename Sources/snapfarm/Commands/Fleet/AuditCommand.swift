// `snapfarm audit`: who did what at a coordinator, and from where.
import ArgumentParser
import FarmAPI
import FarmCore
import FarmRun
import Foundation

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Lists who did what: runs, cancels, decisions, publications, tokens.",
        discussion: "Needs a token with the scope admin that reaches all pipelines."
    )

    @OptionGroup var options: CoordinatorOptions
    @Option(help: "The most entries to list, newest first (at most \(FarmLimits.listMax)).")
    var limit: Int = 50
    @Flag(help: "Print one JSON document.") var json = false

    private struct Row: Encodable {
        var when: String
        var who: String
        var address: String
        var action: AuditAction
        var pipeline: String
        var subject: String
        var detail: String
    }

    private struct Document: Encodable {
        var schemaVersion = 1
        var entries: [Row]
    }

    func validate() throws {
        guard (1...FarmLimits.listMax).contains(limit) else {
            throw ValidationError(
                "--limit is \(limit); it must be from 1 to \(FarmLimits.listMax)."
            )
        }
    }

    func run() async throws {
        let rows = try await options.ask { try await $0.audit(limit: limit) }.map { entry in
            Row(
                when: ISO8601.text(entry.at),
                who: entry.who,
                address: entry.address,
                action: entry.action,
                pipeline: entry.pipeline,
                subject: entry.subject,
                detail: entry.detail
            )
        }
        if json { return try FleetOutput.print(Document(entries: rows)) }
        FleetOutput.print(
            table: rows.map { row in
                [
                    row.when, row.who, row.address.isEmpty ? "this machine" : row.address,
                    row.action.rawValue, row.pipeline, row.subject, row.detail,
                ]
            }
        )
        if rows.isEmpty { Console.say("nothing was done yet.") }
    }
}
