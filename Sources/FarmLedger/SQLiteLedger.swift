// The ledger in one SQLite file: WAL, one writer, `synchronous = FULL`. Measured: FULL costs
// nothing beside NORMAL here, and several writing processes starve each other,
// so one process owns the file.
import FarmCore
import Foundation
import GRDB
import Synchronization

/// The ledger in SQLite.
package final class SQLiteLedger: Ledger {
    static let readersMax = 4
    let database: any DatabaseWriter
    /// The one way to change it.
    let group: GroupCommit
    /// Nil: this file is the only truth.
    package let journal: LedgerJournal?
    /// The tables that this program reads and writes.
    package let schema: LedgerSchema
    let path: String
    /// Workers that will share each run, whether they have come yet or not.
    let workersMin: Int
    let coming: ComingWorkers
    let runs = KnownRuns()
    /// From asking for a transaction to its end.
    package let commits = CommitTiming()

    /// Opens or makes the ledger.
    ///
    /// `workersMin` workers, at least 1, are on their way: the first to ask gets its share of a run
    /// and not half of it, and what it fails is for the others too. With a `journal` it is a copy of
    /// what that journal says, and is migrated by the coordinator that leads.
    /// - Throws: `LedgerError` when the file cannot be opened or another program wrote it.
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
        coming = ComingWorkers(workersMin)
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = Self.readersMax
        configuration.prepareDatabase { db in
            guard !db.configuration.readonly else { return }
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 2000")
            // What a statement puts aside is a part of one plan: no file for it.
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
        }
        do {
            database = try DatabasePool(path: path, configuration: configuration)
            group = GroupCommit(database, journal: journal)
            try Self.migrate(database, path, to: schema, onlyNew: journal != nil)
            guard try journal != nil || database.read(Self.position).tx.isEmpty else {
                throw LedgerError.journaled(path: path)
            }
            // Only now: the pool sets NORMAL itself, with which a crash of the machine would take
            // back what was accepted. Of tables that nobody has written to it may take back any;
            // the first commit flushes what is in the log before it, too.
            // A copy that loses its last commits gets them from the journal again.
            let level = journal == nil ? "FULL" : "NORMAL"
            try database.writeWithoutTransaction {
                try $0.execute(sql: "PRAGMA synchronous = \(level)")
            }
        } catch let error as DatabaseError {
            throw Self.explained(error, path)
        }
    }

    /// A ledger over a database that is open already, as in the simulator, where a coordinator
    /// starts again but its file stays.
    ///
    /// `path` stands for it in errors.
    package init(
        over database: any DatabaseWriter,
        path: String,
        workersMin: Int = 1,
        journal: LedgerJournal? = nil
    ) throws {
        self.path = path
        self.journal = journal
        schema = .current
        self.workersMin = workersMin
        coming = ComingWorkers(workersMin)
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

    /// What the rows of this copy look like.
    package func format() throws -> Int { try database.read(LedgerSchema.format) }

    /// Brings a copy whose pool an older program led to what this program knows.
    func migrate() throws { try schema.migrate(database) }

    /// Whether a commit is on the disk before it is answered; a copy's journal is, for it.
    package func syncsEveryCommit() async throws -> Bool {
        try await write { try Int.fetchOne($0, sql: "PRAGMA synchronous") == 2 }
    }

    /// Moves everything into the main file and closes it.
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

    /// A task that is cancelled interrupts what the connection does, which may be another's
    /// transaction by then: it was rolled back, and asking again is right.
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
