// SQLite's session extension: it records the changes of a transaction and applies them to a copy.
//
// Invariants
//   - A session belongs to one transaction: over two it would repeat the first one's changes.
//   - A changeset is applied whole or not at all, and only to rows that are as they were before.
import CFarmJournal
import Foundation
import GRDB

/// A recording of the changes in a connection's current transaction.
final class ChangeSession {
    private var session: OpaquePointer?

    init(_ db: Database) throws {
        guard let connection = db.sqliteConnection else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE)
        }
        try Self.check(farm_session_begin(connection, &session))
    }

    deinit { end() }

    /// Stops recording; a second call does nothing.
    func end() {
        if let session { farm_session_end(session) }
        session = nil
    }

    /// Whether the transaction has changed nothing.
    var isEmpty: Bool { session.map { farm_session_is_empty($0) != 0 } ?? true }

    /// Returns the changes since the recording began, as a changeset of SQLite.
    func changeset() throws -> Data {
        guard let session else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
        var count: Int32 = 0
        var bytes: UnsafeMutableRawPointer?
        try Self.check(farm_session_changeset(session, &count, &bytes))
        defer { farm_changeset_free(bytes) }
        guard let bytes else { return Data() }
        return Data(bytes: bytes, count: Int(count))
    }

    private static func check(_ code: Int32) throws {
        guard code == 0 else {
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: "session")
        }
    }
}

/// A difference between a copy of a ledger and its journal.
struct ChangesetConflict: Error, CustomStringConvertible {
    let kind: Int
    let table: String
    let isUnknownTable: Bool

    var description: String {
        if isUnknownTable { return "it has no table \(table)" }
        let what =
            switch kind {
            case 1: "a row that was changed since"
            case 2: "no such row"
            case 3: "a row that is there already"
            default: "a row that breaks a constraint"
            }
        return table.isEmpty ? what : "\(what) in \(table)"
    }
}

extension Database {
    /// Applies a changeset within the current transaction.
    ///
    /// Foreign keys must be off: the changeset has the rows that a cascade removed.
    ///
    /// - Throws: `ChangesetConflict`; then no change is applied.
    func apply(changeset: Data, tables: [String]) throws {
        guard let connection = sqliteConnection else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE)
        }
        guard !changeset.isEmpty else { return }
        var conflict = farm_changeset_conflict()
        let names = tables.map { strdup($0) }
        defer { for name in names { free(name) } }
        let code = changeset.withUnsafeBytes { bytes in
            names.map { UnsafePointer($0) }.withUnsafeBufferPointer { names in
                farm_changeset_apply(
                    connection,
                    bytes.baseAddress,
                    Int32(bytes.count),
                    names.baseAddress,
                    Int32(names.count),
                    &conflict
                )
            }
        }
        guard code != 0 else { return }
        guard code == 4 else {
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: "changeset")
        }
        let table = withUnsafeBytes(of: conflict.table) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        throw ChangesetConflict(
            kind: Int(conflict.kind),
            table: table,
            isUnknownTable: conflict.unknown != 0
        )
    }
}
