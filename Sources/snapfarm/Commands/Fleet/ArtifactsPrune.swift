// `snapfarm artifacts prune`: removes old runs from a data folder.
import ArgumentParser
import FarmCore
import FarmRun
import Foundation

struct ArtifactsPrune: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: """
            Removes old runs from a data folder, with the pictures and logs that nothing else \
            names.
            """,
        discussion: """
            Works on this machine, in a folder that no run and no coordinator uses. Open runs, the \
            newest runs and references always stay. --dry-run first shows what would go.
            """
    )

    @Option(help: "The data folder (default: .snapfarm).") var data: String?
    @Option(help: "Days that an ended run stays.") var keepDays: Int = 30
    @Option(help: "Newest runs that stay, however old.") var keepRuns: Int = 20
    @Flag(help: "Show what would go, and remove nothing.") var dryRun = false
    @Flag(help: "Print one JSON document.") var json = false

    func validate() throws {
        for (name, value) in [("keep-days", keepDays), ("keep-runs", keepRuns)]
        where !(0...100_000).contains(value) {
            throw ValidationError("--\(name) is \(value); it must be from 0 to 100000.")
        }
    }

    func run() async throws {
        let retention = try DataRetention(
            PipelineSource.absolute(data ?? ".snapfarm"),
            RetentionPolicy(keepDays: keepDays, keepRuns: keepRuns),
            now: Int64(Date().timeIntervalSince1970 * 1000)
        )
        let report = try await retention.prune(isPlan: dryRun)
        if json { return try FleetOutput.print(report) }
        Console.print(report.text())
    }
}
