// Copies of a ledger's file, for a backup or for another machine.
import Foundation
import GRDB

extension SQLiteLedger {
    /// Copies a ledger's file as it is at one moment, while another process may write it.
    ///
    /// There must be no file at `target`.
    package static func copy(_ path: String, to target: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        do {
            let database = try DatabaseQueue(path: path, configuration: configuration)
            // Not in steps: such a copy starts again with each commit of the writer.
            try database.inDatabase { db in
                try db.execute(sql: "VACUUM INTO ?", arguments: [target])
            }
            try database.close()
        } catch let error as DatabaseError {
            throw explained(error, path)
        }
    }

    /// Raises the numbers of the next leases and decisions in a copy of a ledger far above its own.
    ///
    /// The original may have given further numbers after the copy was made. A worker or a page may
    /// still use one of them, and it must never name another lease or decision.
    package static func raiseNumbers(inFileAt path: String) throws {
        do {
            let database = try DatabaseQueue(path: path)
            try database.write { db in
                for table in ["lease", "decision"] {
                    try db.execute(
                        sql: """
                            INSERT INTO sqlite_sequence (name, seq) SELECT ?1, 0
                            WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)
                            """,
                        arguments: [table]
                    )
                    try db.execute(
                        sql: "UPDATE sqlite_sequence SET seq = seq + ?2 WHERE name = ?1",
                        arguments: [table, numbersSkipped]
                    )
                }
                // A copy of a pool's ledger leaves the journal's line: the pool may have gone on.
                if try db.tableExists("journal_position") {
                    try db.execute(sql: "UPDATE journal_position SET seq = 0, tx = x''")
                }
            }
            try database.close()
        } catch let error as DatabaseError {
            throw explained(error, path)
        }
    }

    /// The amount by which a copy's next numbers are raised: more than a farm gives between two
    /// backups, a thousand leases a second for eleven days.
    private static let numbersSkipped = 1_000_000_000
}
