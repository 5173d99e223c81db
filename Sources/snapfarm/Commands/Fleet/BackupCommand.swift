// `snapfarm backup` and `snapfarm restore`: copies of a coordinator's state outside of its machine.
import ArgumentParser
import FarmCore
import FarmRun
import Foundation

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies a coordinator's state, also while it serves.",
        discussion: """
            Copies ledger, pictures, logs of tests, tokens, the key of leases, the configuration and \
            the reference stores that are folders, into a new folder named by the time. Pictures \
            that the backup before has are linked to, so keep backups on one file system. Exit 1: \
            the copy is made, and is damaged as the data folder is.
            """
    )

    @OptionGroup var coordinator: CoordinatorPlace
    @Option(help: "The folder that holds the backups.") var to: String
    @Flag(help: "Print one JSON document.") var json = false

    func run() throws {
        let backup = try DataBackup(
            try coordinator.configuration(),
            file: coordinator.config,
            into: PipelineSource.absolute(to)
        )
        let report = try backup.make(now: Int64(Date().timeIntervalSince1970 * 1000))
        if json { try FleetOutput.print(report) } else { Console.print(report.text()) }
        guard report.broken == 0 else {
            throw ArgumentParser.ExitCode(ExitCode.differences.rawValue)
        }
    }
}

struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Makes a coordinator's data folder from a backup.",
        discussion: "Reads every picture of the backup first, and refuses one that is damaged."
    )

    @Argument(help: "A backup, or the folder that holds them: then the newest.") var backup: String
    @Option(help: "The new data folder, empty or not there.") var data: String
    @Flag(help: "Restore a damaged backup, too.") var anyway = false
    @Flag(help: "Print one JSON document.") var json = false

    func run() throws {
        let restore = try DataRestore(
            PipelineSource.absolute(backup),
            data: PipelineSource.absolute(data)
        )
        let report = try restore.restore(isForced: anyway)
        if json { return try FleetOutput.print(report) }
        Console.print(report.text())
    }
}
