// A follower's side of the journal: its copy follows the leader's ledger, change by change.
import FarmCore
import Foundation
import GRDB

/// A difference between a copy and the journal; the copy starts again from a snapshot.
struct DifferentCopy: Error {
    let seq: Int64
    let reason: String
}

extension SQLiteLedger {
    /// Returns whether a file is a copy of a ledger in PostgreSQL; `false` if it cannot be read.
    package static func isCopy(atPath path: String) -> Bool {
        guard FileManager.default.fileExists(atPath: path) else { return false }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        guard let database = try? DatabaseQueue(path: path, configuration: configuration) else {
            return false
        }
        defer { try? database.close() }
        let isCopy = try? database.read { db in
            try db.tableExists("journal_position") && !position(db).tx.isEmpty
        }
        return isCopy ?? false
    }

    package func position() throws -> JournalPosition {
        try database.read(Self.position)
    }

    static func position(_ db: Database) throws -> JournalPosition {
        guard let row = try Row.fetchOne(db, sql: "SELECT seq, tx FROM journal_position") else {
            throw LedgerError.damaged("no journal position")
        }
        return JournalPosition(seq: row["seq"], tx: row["tx"])
    }

    /// Applies the journal's entries to the copy up to the number `seq`; `entries` returns those
    /// after a number.
    ///
    /// - Throws: `DifferentCopy`.
    func follow(to seq: Int64, _ entries: (Int64) throws -> [JournalEntry]) throws {
        try Self.bring(database, to: seq, entries)
    }

    private static func bring(
        _ copy: any DatabaseWriter,
        to seq: Int64,
        _ entries: (Int64) throws -> [JournalEntry]
    ) throws {
        var position = try copy.read(Self.position).seq
        while position < seq {
            let next = try entries(position)
            guard let last = next.last, next.first?.seq == position + 1 else {
                throw DifferentCopy(seq: position + 1, reason: "the journal begins later")
            }
            try apply(next, to: copy)
            position = last.seq
        }
    }

    /// Applies the entries after the copy's position, all or none.
    ///
    /// - Throws: `DifferentCopy`.
    private static func apply(_ entries: [JournalEntry], to copy: any DatabaseWriter) throws {
        try copy.writeWithoutTransaction { db in
            // The changeset has each row that a cascade removed.
            try db.execute(sql: "PRAGMA foreign_keys = OFF")
            defer { try? db.execute(sql: "PRAGMA foreign_keys = ON") }
            let tables = try Self.tables(db)
            try db.inTransaction(.immediate) {
                for entry in entries {
                    do {
                        try db.apply(changeset: entry.changeset, tables: tables)
                    } catch let conflict as ChangesetConflict {
                        throw DifferentCopy(seq: entry.seq, reason: "\(conflict)")
                    }
                    let position = try Self.position(db)
                    guard position == JournalPosition(seq: entry.seq, tx: entry.tx) else {
                        throw DifferentCopy(seq: entry.seq, reason: "it stands elsewhere")
                    }
                }
                return .commit
            }
        }
    }

    private static func tables(_ db: Database) throws -> [String] {
        try String.fetchAll(
            db,
            sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        )
    }

    /// The SQL assignments that store the highest numbers of leases and decisions in
    /// `journal_position`.
    static let numbersNow = """
        leases = coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'lease'), 0),
        decisions = coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'decision'), 0)
        """

    /// Raises the numbers of the copy's next leases and decisions, so that it repeats none of the
    /// last leader's.
    func raiseNumbers() throws {
        try database.writeWithoutTransaction { db in
            try db.inTransaction(.immediate) {
                for (table, column) in [("lease", "leases"), ("decision", "decisions")] {
                    try db.execute(
                        sql: """
                            INSERT INTO sqlite_sequence (name, seq) SELECT ?1, 0
                              WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1);
                            """,
                        arguments: [table]
                    )
                    try db.execute(
                        sql: """
                            UPDATE sqlite_sequence SET seq = max(seq,
                              (SELECT \(column) FROM journal_position)) WHERE name = ?
                            """,
                        arguments: [table]
                    )
                }
                return .commit
            }
        }
    }

    /// Replaces this ledger by a snapshot and the entries after it, in one step: no reader sees the
    /// older state of the snapshot alone.
    ///
    /// - Throws: `DifferentCopy`.
    func replace(
        with file: String,
        to seq: Int64,
        _ entries: (Int64) throws -> [JournalEntry]
    ) throws {
        let source = try DatabaseQueue(path: file)
        defer { try? source.close() }
        try Self.bring(source, to: seq, entries)
        try source.backup(to: database)
        runs.forget()
    }

    /// Writes a copy of the ledger to a new file; returns the copy's position in the journal.
    func copy(to file: String) throws -> JournalPosition {
        try Self.copy(path, to: file)
        let copy = try DatabaseQueue(path: file)
        defer { try? copy.close() }
        return try copy.read(Self.position)
    }

    /// Sets the journal position of this ledger to `entry`, then copies the ledger to a new file.
    package func snapshot(to file: String, startingAt entry: JournalEntry) throws {
        try database.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    UPDATE journal_position SET seq = ?, tx = ?, \(Self.numbersNow)
                    """,
                arguments: [entry.seq, entry.tx]
            )
        }
        try Self.copy(path, to: file)
    }

    /// Makes this copy of a pool's ledger a ledger of its own.
    package func leaveJournal() throws {
        try raiseNumbers()
        try database.writeWithoutTransaction { db in
            try db.execute(sql: "UPDATE journal_position SET seq = 0, tx = x''")
        }
    }

    /// Returns whether the ledger has neither runs nor decisions.
    package func isEmpty() throws -> Bool {
        try database.read { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT NOT EXISTS (SELECT 1 FROM run) AND NOT EXISTS (SELECT 1 FROM decision)
                    """
            ) ?? true
        }
    }
}
