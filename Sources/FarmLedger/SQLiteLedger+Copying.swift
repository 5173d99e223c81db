// A ledger's file leaves its machine, and comes back on another.
import Foundation
import GRDB

extension SQLiteLedger {
    /// Copies a ledger's file as it is at one moment, beside whoever writes it.
    ///
    /// `target` must not be there.
    package static func copy(_ path: String, to target: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        do {
            let database = try DatabaseQueue(path: path, configuration: configuration)
            // Not in steps: a copy in steps beside a writer starts again with each of its commits.
            try database.inDatabase { db in
                try db.execute(sql: "VACUUM INTO ?", arguments: [target])
            }
            try database.close()
        } catch let error as DatabaseError {
            throw explained(error, path)
        }
    }

    /// Lets a copy go on with numbers of leases and decisions far above those that it has.
    ///
    /// The original may have given the next ones after the copy was made. A worker or a page that
    /// knows one of those must not be believed about another lease or decision.
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
                // A copy of a pool's ledger goes on by itself: the pool may have gone on, too.
                if try db.tableExists("journal_position") {
                    try db.execute(sql: "UPDATE journal_position SET seq = 0, tx = x''")
                }
            }
            try database.close()
        } catch let error as DatabaseError {
            throw explained(error, path)
        }
    }

    /// More than a farm gives between two backups: a thousand leases a second for eleven days.
    private static let numbersSkipped = 1_000_000_000
}
