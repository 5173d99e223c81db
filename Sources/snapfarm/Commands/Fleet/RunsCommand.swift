// `snapfarm runs`: the runs of a coordinator, or of this machine.
import ArgumentParser
import FarmAPI
import FarmCoordinator
import FarmCore
import FarmLedger
import FarmRun
import FarmTerminal
import Foundation

/// `snapfarm runs`: lists runs.
struct RunsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "runs",
        abstract: "Lists runs, the newest first: a coordinator's, or those made here.",
        discussion: """
            Without a coordinator, those of the data folders .snapfarm and pipelines/.snapfarm of \
            the working folder, or of --data. Reads only, also beside a run.
            """
    )

    @OptionGroup var options: CoordinatorOptions
    @Option(help: "The data folder whose runs are shown, instead of a coordinator's.")
    var data: String?
    @Option(name: .shortAndLong, help: "Runs that are shown.") var limit: Int = 20
    @Flag(help: "Print one JSON document.") var json = false

    private struct Document: Encodable {
        var schemaVersion = 1
        var runs: [RunListing]
    }

    func validate() throws {
        guard (1...FarmLimits.listMax).contains(limit) else {
            throw ValidationError(
                "--limit is \(limit); it must be from 1 to \(FarmLimits.listMax)."
            )
        }
        guard data == nil || options.coordinator == nil else {
            throw ValidationError("Either --coordinator or --data: one place at a time.")
        }
    }

    func run() async throws {
        let isRemote = data == nil && options.url != nil
        let runs =
            isRemote ? try await options.ask { try await $0.runs(limit: limit) } : try local()
        if json { return try FleetOutput.print(Document(runs: runs)) }
        guard !runs.isEmpty else { return Console.say("there are no runs.") }
        FleetOutput.print(table: RunTable.rows(runs))
        for run in runs {
            if let problem = run.problem { Console.print("\(run.run): \(problem)\n") }
        }
    }

    /// The runs of this machine's data folders.
    private func local() throws -> [RunListing] {
        let folders = data.map { [$0] } ?? [".snapfarm", "pipelines/.snapfarm"]
        let ledgers = folders.map { PipelineSource.absolute($0) + "/ledger.sqlite" }
            .filter { FileManager.default.fileExists(atPath: $0) }
        if ledgers.isEmpty, let data { throw PipelineSearchError.noLedger(data: data) }
        let rows = try ledgers.flatMap { try SQLiteLedger.runs(inFileAt: $0, limit: limit) }
        return rows.sorted { ($0.started, $0.id) > ($1.started, $1.id) }
            .prefix(limit).map { RunListing($0) }
    }
}
