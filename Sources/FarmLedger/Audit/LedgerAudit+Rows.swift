// The audit of rows and of the rows that they refer to. Each query reads whole tables and returns
// no row of a sound ledger.
import FarmCore
import GRDB

extension LedgerAudit {
    mutating func checkFile(_ db: Database) throws {
        for line in try String.fetchAll(db, sql: "PRAGMA integrity_check(20)") where line != "ok" {
            addUnreadableFile("ledger-file", "SQLite says: \(line).")
        }
        for row in try Row.fetchAll(db, sql: "PRAGMA foreign_key_check") {
            let table: String = row["table"] ?? ""
            let parent: String = row["parent"] ?? ""
            addUnreadableFile(
                "dangling-row",
                "a row of \(table) names a row of \(parent) that is not there."
            )
        }
        let keys = try Row.fetchAll(
            db,
            sql: """
                SELECT key, group_concat(id, ', ') AS ids FROM run
                GROUP BY key HAVING count(*) > 1
                """
        )
        for row in keys {
            add("run-key", "the key \(row["key"] as String) has several runs: \(row["ids"] ?? "").")
        }
    }

    /// Checks that each test case is in one state, and that a leased one is under one live lease.
    mutating func checkCases(_ db: Database) throws {
        let states = try Row.fetchAll(
            db,
            sql: """
                SELECT id, run, test, state FROM test_case
                WHERE state NOT BETWEEN 0 AND 2 OR (state = 1) <> (epoch IS NOT NULL)
                  OR (state = 2) <> (verdict IS NOT NULL)
                """
        )
        for row in states {
            add(
                "case-state",
                run: row["run"],
                "test case \(row["id"] as Int64) (\(row["test"] as String)) is in state "
                    + "\(row["state"] as Int), which its lease or verdict contradicts."
            )
        }
        let leased = try Row.fetchAll(
            db,
            sql: """
                SELECT t.id, t.run, t.test, t.epoch, l.state FROM test_case t
                LEFT JOIN lease l ON l.epoch = t.epoch
                WHERE t.state = 1 AND (l.state IS NOT 'live' OR l.run <> t.run
                  OR l.job <> t.job OR l.cell <> t.cell)
                """
        )
        for row in leased {
            let state = row["state"] as String? ?? "not there"
            add(
                "case-lease",
                run: row["run"],
                "test case \(row["id"] as Int64) (\(row["test"] as String)) is leased under "
                    + "L\(row["epoch"] as Int64), which is \(state == "live" ? "another's" : state).",
                remedy: "Start a run with --resume: a new coordinator leases it again."
            )
        }
    }

    mutating func checkLeases(_ db: Database) throws {
        count(leases: try Int.fetchOne(db, sql: "SELECT count(*) FROM lease") ?? 0)
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT epoch, run, state FROM lease
                WHERE (state = 'live') <> (ended IS NULL) OR deadline < granted
                """
        )
        for row in rows {
            add(
                "lease-state",
                run: row["run"],
                "lease L\(row["epoch"] as Int64) is \(row["state"] as String), which its times "
                    + "contradict."
            )
        }
        let open = try Row.fetchAll(
            db,
            sql: """
                SELECT l.epoch, l.run FROM lease l JOIN run r ON r.id = l.run
                WHERE l.state = 'live' AND r.state <> 'running'
                """
        )
        for row in open {
            add(
                "lease-after-run",
                run: row["run"],
                "lease L\(row["epoch"] as Int64) lives, but its run has ended."
            )
        }
    }

    /// Checks that the host of a live isolated lease has no other live lease.
    mutating func checkIsolated(_ db: Database) throws {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT i.epoch, i.run, l.epoch AS other FROM lease i
                JOIN worker a ON a.id = i.worker
                JOIN lease l ON l.state = 'live' AND l.epoch <> i.epoch
                JOIN worker b ON b.id = l.worker
                WHERE i.state = 'live' AND i.isolated = 1
                  AND coalesce(a.host, a.id) = coalesce(b.host, b.id)
                """
        )
        for row in rows {
            add(
                "lease-isolated",
                run: row["run"],
                "lease L\(row["epoch"] as Int64) is to have its host for itself, but "
                    + "L\(row["other"] as Int64) lives there too."
            )
        }
    }

    /// Checks that epochs only grow, and that every attempt belongs to its lease.
    mutating func checkEpochs(_ db: Database) throws {
        let newest = try Int64.fetchOne(
            db,
            sql: """
                SELECT max(coalesce((SELECT max(epoch) FROM lease), 0),
                  coalesce((SELECT max(epoch) FROM attempt), 0))
                """
        )
        let next = try Int64.fetchOne(
            db,
            sql: "SELECT seq FROM sqlite_sequence WHERE name = 'lease'"
        )
        if (newest ?? 0) > (next ?? 0) {
            add(
                "epoch-reset",
                "the next lease would be L\((next ?? 0) + 1), but L\(newest ?? 0) was granted "
                    + "already."
            )
        }
        let strays = try Row.fetchAll(
            db,
            sql: """
                SELECT t.id, t.run, t.test, a.epoch, l.epoch IS NULL AS without,
                  a.ended > l.ended AS late
                FROM attempt a JOIN test_case t ON t.id = a.test_case
                LEFT JOIN lease l ON l.epoch = a.epoch
                WHERE l.epoch IS NULL OR l.run <> t.run OR l.job <> t.job OR l.cell <> t.cell
                  OR l.worker <> a.worker OR a.ended > l.ended
                """
        )
        for row in strays {
            let name = "test case \(row["id"] as Int64) (\(row["test"] as String))"
            let lease = "L\(row["epoch"] as Int64)"
            if row["late"] as Bool? == true {
                add(
                    "late-attempt",
                    run: row["run"],
                    "\(name) has an attempt of \(lease) from after that lease's end.",
                    remedy: "A clock that was set back looks the same; else: \(Self.keep)"
                )
            } else {
                let fact = row["without"] == true ? "which was never granted" : "which is another's"
                add(
                    "attempt-lease",
                    run: row["run"],
                    "\(name) has an attempt of \(lease), \(fact)."
                )
            }
        }
    }

    /// Checks that every decision can be read.
    mutating func checkDecisions(_ db: Database) throws {
        let rows = try Row.fetchCursor(db, sql: "SELECT * FROM decision ORDER BY number")
        while let row = try rows.next() {
            count(decisions: 1)
            guard Decision(row) == nil else { continue }
            add(
                "decision-unreadable",
                "the decision \(row["number"] as Int64) is none that a person can make."
            )
        }
    }
}
