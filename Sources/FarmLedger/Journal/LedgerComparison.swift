// The comparison of two ledgers' files, row by row.
import Foundation
import GRDB

/// The differences of two ledgers' files.
package struct LedgerComparison: Sendable, Hashable {
    /// The number of rows that only one file has, by table.
    package private(set) var differences: [String: Int] = [:]
    /// The number of rows in the first file.
    package private(set) var rows = 0

    package var areEqual: Bool { differences.isEmpty }

    /// Compares two files, which no process may write meanwhile.
    package init(_ first: String, _ second: String) throws {
        let database = try DatabaseQueue(path: first)
        defer { try? database.close() }
        try database.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH DATABASE ? AS other", arguments: [second])
        }
        try database.read { db in
            let tables = try Self.tables(db, "main").union(Self.tables(db, "other"))
            for table in tables.sorted() {
                guard try Self.tables(db, "main").contains(table),
                    try Self.tables(db, "other").contains(table)
                else {
                    differences[table] = 1
                    continue
                }
                try compare(table, db)
            }
        }
    }

    private mutating func compare(_ table: String, _ db: Database) throws {
        let name = "\"\(table)\""
        let only = try Int.fetchOne(
            db,
            sql: """
                SELECT (SELECT count(*) FROM
                    (SELECT * FROM main.\(name) EXCEPT SELECT * FROM other.\(name)))
                  + (SELECT count(*) FROM
                    (SELECT * FROM other.\(name) EXCEPT SELECT * FROM main.\(name)))
                """
        )
        if let only, only > 0 { differences[table] = only }
        rows += try Int.fetchOne(db, sql: "SELECT count(*) FROM main.\(name)") ?? 0
    }

    private static func tables(_ db: Database, _ schema: String) throws -> Set<String> {
        Set(
            try String.fetchAll(
                db,
                sql: """
                    SELECT name FROM \(schema).sqlite_master
                    WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
                    """
            )
        )
    }
}
