// `snapfarm ledger`: the ledger that several coordinators share.
import ArgumentParser
import FarmCore
import FarmDrivers
import FarmLedger
import FarmRun
import Foundation

struct LedgerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "Shows and moves the ledger that several coordinators share.",
        subcommands: [LedgerStatus.self, LedgerMoveCommand.self]
    )
}

/// The options that name a ledger in PostgreSQL.
struct SharedLedgerOptions: ParsableArguments {
    @Option(help: "The ledger's database: postgres://… (default: that of the configuration).")
    var ledger: String?
    @Option(help: "The farm whose ledger it is (default: that of the configuration, or farm).")
    var pool: String?
}

struct LedgerStatus: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Says who leads, and how far the other coordinators are behind."
    )

    @Option(help: "A coordinator's configuration file.") var config: String?
    @OptionGroup var shared: SharedLedgerOptions
    @Flag(help: "Print one JSON document.") var json = false

    func run() throws {
        // The data folder is not used, so any will do.
        let configuration = try CoordinatorConfiguration(file: config, data: ".")
            .sharing(shared.ledger, shared.pool)
        let status = try configuration.sharedStatus(OwnEnvironment.variables)
        if json { return try FleetOutput.print(status) }
        Console.print(status.text())
    }
}

struct LedgerMoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Moves a stopped farm from its data folder to PostgreSQL, or back.",
        discussion: """
            Reads both again and compares every row before it says that the farm is moved. What it \
            came from stays as it is. After --back no coordinator leads the pool any more.
            """
    )

    @OptionGroup var coordinator: CoordinatorPlace
    @OptionGroup var shared: SharedLedgerOptions
    @Flag(help: "From PostgreSQL to the data folder.") var back = false

    func run() throws {
        let configuration = try coordinator.configuration().sharing(shared.ledger, shared.pool)
        let move = try LedgerMove(configuration, OwnEnvironment.variables)
        let rows = try back ? move.toFolder() : move.toPostgres()
        Console.print(
            back
                ? "Moved to \(configuration.data): \(rows) rows, the same on both sides.\n"
                    + "Next: serve it without `ledger:`.\n"
                : "Moved to the pool \(configuration.settings.ledger?.pool ?? "") of PostgreSQL: "
                    + "\(rows) rows, the same on both sides.\n"
                    + "Next: serve it with `ledger:`, here and on other machines.\n"
        )
    }
}
