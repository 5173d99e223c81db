// The ledger in one SQLite file: WAL, one writer, `synchronous = FULL`. Measured: here FULL costs
// no more than NORMAL, and several writing processes starve each other, so one process owns the
// file.
import FarmCore
import Foundation
import GRDB
import Synchronization

/// The ledger in an SQLite file.
package final class SQLiteLedger: Ledger {
    static let readersMax = 4
    let database: any DatabaseWriter
    /// The queue of all changes; no other code writes to the file.
    let group: GroupCommit
    /// The journal that this file is a copy of, or `nil` if the file is the only record.
    package let journal: LedgerJournal?
    /// The schema of the tables that this program reads and writes.
    package let schema: LedgerSchema
    let path: String
    /// The number of workers that will share each run, those not here yet included.
    let workersMin: Int
    let coming: ExpectedWorkers
    let turns: TurnBook
    let runs = KnownRuns()
    /// The durations of transactions, each from the request of its change to its end.
    package let commits = CommitTiming()

    /// Opens or makes the ledger.
    ///
    /// `workersMin` workers, at least 1, are expected: the first claim gets its share of a run and
    /// not half of it, and tests that it fails wait for the other workers, too. With a `journal`
    /// the file is a copy of that journal, and the leading coordinator migrates it.
    ///
    /// - Throws: `LedgerError` if the file cannot be opened or another program wrote it.
    package init(
        path: String,
        workersMin: Int = 1,
        journal: LedgerJournal? = nil,
        schema: LedgerSchema = .current
    ) throws {
        self.path = path
        self.journal = journal
        self.schema = schema
        self.workersMin = workersMin
        coming = ExpectedWorkers(workersMin)
        turns = TurnBook(Turns())
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = Self.readersMax
        configuration.prepareDatabase { db in
            guard !db.configuration.readonly else { return }
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 2000")
            // Temporary data is a part of one plan: memory is enough.
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
        }
        do {
            database = try DatabasePool(path: path, configuration: configuration)
            group = GroupCommit(database, journal: journal)
            try Self.migrate(database, path, to: schema, onlyNew: journal != nil)
            guard try journal != nil || database.read(Self.position).tx.isEmpty else {
                throw LedgerError.journaled(path: path)
            }
            // Only now, because `DatabasePool` sets NORMAL itself, with which a crash of the
            // machine may lose accepted changes. Losing the migration is harmless: the tables are
            // empty, and the first commit flushes the log before it, too. A copy may stay on
            // NORMAL: the journal restores lost commits.
            let level = journal == nil ? "FULL" : "NORMAL"
            try database.writeWithoutTransaction {
                try $0.execute(sql: "PRAGMA synchronous = \(level)")
            }
        } catch let error as DatabaseError {
            throw Self.explained(error, path)
        }
    }

    /// Opens a ledger over an open database, as the simulator does: its coordinator restarts and
    /// the file stays.
    ///
    /// `path` names the database in errors. `turns` is the order in which runs are served; the
    /// simulation of fairness compares others.
    package init(
        over database: any DatabaseWriter,
        path: String,
        workersMin: Int = 1,
        journal: LedgerJournal? = nil,
        turns: any TurnOrder = Turns()
    ) throws {
        self.path = path
        self.journal = journal
        schema = .current
        self.workersMin = workersMin
        coming = ExpectedWorkers(workersMin)
        self.turns = TurnBook(turns)
        self.database = database
        group = GroupCommit(database, journal: journal)
        do {
            try Self.migrate(database, path, to: schema, onlyNew: false)
        } catch let error as DatabaseError {
            throw Self.explained(error, path)
        }
    }

    private static func migrate(
        _ database: any DatabaseWriter,
        _ path: String,
        to schema: LedgerSchema,
        onlyNew: Bool
    ) throws {
        try database.read { try schema.check($0, path) }
        guard try !onlyNew || database.read(LedgerSchema.format) == 0 else { return }
        try schema.migrate(database)
    }

    /// Returns the number of the format of this copy's tables.
    package func format() throws -> Int { try database.read(LedgerSchema.format) }

    /// Migrates a copy that followed a pool led by an older program.
    func migrate() throws { try schema.migrate(database) }

    /// Returns whether SQLite syncs each commit before its answer.
    ///
    /// A copy's does not: its journal does.
    package func syncsEveryCommit() async throws -> Bool {
        try await write { try Int.fetchOne($0, sql: "PRAGMA synchronous") == 2 }
    }

    /// Moves the write-ahead log into the main file, and closes the database.
    package func close() throws {
        try database.writeWithoutTransaction { db in
            _ = try db.checkpoint(.truncate)
        }
        try database.close()
    }

    // MARK: transactions

    func write<Value: Sendable>(
        _ change: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        let start = ContinuousClock.now
        defer { commits.add(ContinuousClock.now - start) }
        do {
            return try await group.write(change)
        } catch let error as DatabaseError {
            try Self.checkInterruption(error)
            throw Self.explained(error, path)
        }
    }

    func read<Value: Sendable>(
        _ query: @Sendable (Database) throws -> Value
    ) async throws -> Value {
        do {
            return try await database.read(query)
        } catch let error as DatabaseError {
            try Self.checkInterruption(error)
            throw Self.explained(error, path)
        }
    }

    /// Throws `CancellationError` if `error` is that of an interrupted transaction.
    ///
    /// A cancelled task interrupts its connection, which may run another call's transaction by
    /// then. It was rolled back, and its caller may try again.
    private static func checkInterruption(_ error: DatabaseError) throws {
        if error.resultCode == .SQLITE_INTERRUPT { throw CancellationError() }
    }

    static func explained(_ error: DatabaseError, _ path: String) -> LedgerError {
        .storage(
            path: path,
            reason: error.message ?? "SQLite error \(error.resultCode)",
            full: error.resultCode == .SQLITE_FULL || error.resultCode == .SQLITE_IOERR
        )
    }

    // MARK: encoded columns

    static func encode(_ value: some Encodable) throws -> Data {
        try JSONEncoder().encode(value)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ data: Data) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw LedgerError.damaged("\(type): \(error)")
        }
    }
}
