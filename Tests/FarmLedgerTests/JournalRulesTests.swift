// Tests of the journal's requirements for tables and addresses, and of the rule for takeovers.
import FarmCore
import FarmTesting
import Foundation
import GRDB
import Testing

@testable import FarmLedger

@Suite("A ledger that can be journaled")
struct JournalRulesTests {
    @Test(
        "has an address without a password",
        arguments: [
            ("postgres://db/farm", true),
            ("postgresql://u@a:5432,b:5433/farm?sslmode=require", true),
            ("postgres://u:secret@db/farm", false), ("postgres://db/farm?password=secret", false),
            ("postgres://u@db/f?sslmode=require&password=secret", false),
            ("mysql://db/farm", false),
            ("", false),
        ]
    )
    func address(_ url: String, _ isGood: Bool) {
        do {
            let address = try PostgresAddress(url: url, pool: "p")
            #expect(isGood && !address.shown.contains("?"))
        } catch let error as JournalStoreError {
            #expect(!isGood && !error.message.contains("secret"))
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test(
        "is not read by who PostgreSQL refuses, and that is another cause than a server that is away",
        arguments: [
            ("FATAL:  password authentication failed for user \"u\"", true),
            ("connection to server at \"db\" failed: fe_sendauth: no password supplied", true),
            ("FATAL:  database \"f\" does not exist", true),
            ("FATAL:  no pg_hba.conf entry for host \"10.0.0.1\"", true),
            ("connection to server at \"db\" failed: Connection refused", false),
            ("FATAL:  the database system is starting up", false),
            ("terminating connection due to administrator command", false),
        ]
    )
    func denied(_ reason: String, _ isDenied: Bool) {
        let error = JournalStoreError.unknown(reason)
        #expect(error.exit == (isDenied ? .configuration : .unavailable))
        #expect(error.code == (isDenied ? "ledger-denied" : "journal-unreachable"))
    }

    @Test("has tables whose changes all travel")
    func tables() async throws {
        let folder = try TemporaryFolder("tables")
        let ledger = try SQLiteLedger(path: folder.file("ledger.sqlite"))
        let tables = try await ledger.database.read { db in
            let triggers = try Int.fetchOne(
                db,
                sql: "SELECT count(*) FROM sqlite_master WHERE type = 'trigger'"
            )
            #expect(triggers == 0)
            return try String.fetchAll(
                db,
                sql:
                    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            )
        }
        for table in tables {
            try await ledger.database.read { db in
                let columns = try Row.fetchAll(db, sql: "PRAGMA table_xinfo(\"\(table)\")")
                #expect(columns.contains { $0["pk"] as Int > 0 }, "\(table) has no primary key")
                #expect(
                    columns.allSatisfy { $0["hidden"] as Int == 0 },
                    "\(table) computes a column"
                )
            }
        }
    }

    @Test(
        "is taken over when its leader's lock is free, or the deadline has passed",
        arguments: [
            (holder: "a", left: 1000, locked: true, got: false, format: 18, Takeover.wait),
            ("a", 1000, true, true, 18, .atOnce),
            // A leader that never took the lock may live although the lock is free.
            ("a", 1000, false, true, 18, .wait),
            ("a", 0, false, false, 18, .afterDeadline),
            ("a", -5, true, false, 18, .afterDeadline),
            ("me", 1000, true, false, 18, .atOnce),
            ("", -1, false, false, 18, .afterDeadline),
            ("a", -1, true, true, 19, .wait),
            ("a", -1, false, false, 17, .afterDeadline),
        ]
    )
    func takeover(
        _ seen: (holder: String, left: Int64, locked: Bool, got: Bool, format: Int, Takeover)
    ) {
        let row = PoolRow(
            term: 1,
            seq: 1,
            holder: seen.holder,
            url: "",
            millisecondsLeft: seen.left,
            format: seen.format,
            isLocked: seen.locked
        )
        let step = TakeoverRules.step(row, me: "me", gotLock: seen.got, format: 18)
        #expect(step == seen.5)
    }
}
