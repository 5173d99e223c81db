// `snapfarm runs`: the runs of a coordinator, or of this machine.
import ArgumentParser
import FarmAPI
import FarmCoordinator
import FarmCore
import FarmLedger
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

/// Runs as a table for people.
enum RunTable {
    static func rows(_ runs: [RunListing]) -> [[String]] {
        [
            [
                "RUN", "STATE", "TESTS", "NOT AS EXPECTED", "STARTED", "TOOK", "BRANCH", "COMMIT",
                "MODE", "PIPELINE",
            ]
        ]
            + runs.map { run in
                [
                    run.run.text, run.state.rawValue, "\(run.done)/\(run.planned)",
                    run.bad > 0 ? "\(run.bad)" : "", started(run), took(run) ?? "", run.branch,
                    String(run.commit.prefix(12)), run.mode.rawValue, run.pipeline,
                ]
            }
    }

    /// `2026-11-21 16:07:03Z`: milliseconds are for programs.
    private static func started(_ run: RunListing) -> String {
        run.started.prefix(19).replacing("T", with: " ") + "Z"
    }

    /// `4 min 10 s`; nil for a run that goes on.
    private static func took(_ run: RunListing) -> String? {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let ended = run.ended.flatMap({ try? style.parse($0) }),
            let began = try? style.parse(run.started), ended >= began
        else { return nil }
        let seconds = ended.timeIntervalSince(began)
        if seconds < 60 { return "\((seconds * 10).rounded() / 10) s" }
        let whole = Int(seconds.rounded())
        return whole < 3_600
            ? "\(whole / 60) min \(whole % 60) s"
            : "\(whole / 3_600) h \(whole % 3_600 / 60) min"
    }
}
