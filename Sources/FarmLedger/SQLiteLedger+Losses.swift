// Leases that end without their worker's word: lost workers, deadlines, restarts. What ran counts an
// attempt, what waited does not; a restart or a pause of the coordinator counts for none.
import FarmCore
import Foundation
import GRDB

extension SQLiteLedger {
    package func workerLost(_ worker: WorkerID, now: Milliseconds) async throws {
        coming.lost(now: now)
        try await write { db in
            try self.changeWorkers(
                "UPDATE worker SET lost = ? WHERE id = ?",
                [now, worker.text],
                db
            )
            let epochs = try Int64.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT epoch FROM lease WHERE worker = ? AND state = 'live'
                        ORDER BY epoch DESC
                        """
                ),
                arguments: [worker.text]
            )
            for epoch in epochs { try self.takeBack(epoch, now: now, db) }
        }
    }

    package func reap(now: Milliseconds) async throws -> Int {
        try await write { db in
            let epochs = try Self.expired(now, db)
            for epoch in epochs { try self.takeBack(epoch, now: now, db) }
            return epochs.count
        }
    }

    package func takeBackExpired(now: Milliseconds) async throws -> Int {
        try await write { db in
            let epochs = try Self.expired(now, db)
            for epoch in epochs { try self.interrupt(epoch, now: now, db) }
            return epochs.count
        }
    }

    /// The newest first.
    private static func expired(_ now: Milliseconds, _ db: Database) throws -> [Int64] {
        let select = try db.cachedStatement(
            sql: """
                SELECT epoch FROM lease WHERE state = 'live' AND deadline < ?
                ORDER BY epoch DESC
                """
        )
        return try Int64.fetchAll(select, arguments: [now])
    }

    /// Ends a lease because of its coordinator.
    private func interrupt(_ epoch: Int64, now: Milliseconds, _ db: Database) throws {
        _ = try end(epoch, as: "interrupted", now: now, db)
        try requeue(epoch, db)
    }

    package func takeBackAll(now: Milliseconds) async throws {
        try await write { db in
            try self.forgetFuture(now: now, db)
            let epochs = try Int64.fetchAll(
                db.cachedStatement(sql: "SELECT epoch FROM lease WHERE state = 'live'")
            )
            for epoch in epochs { try self.interrupt(epoch, now: now, db) }
            // Who still lives will say so; the workers of the process before must not be shared
            // out work, nor be waited for.
            try self.changeWorkers("UPDATE worker SET lost = ? WHERE lost IS NULL", [now], db)
        }
    }

    package func grantGrace(seconds: Double, now: Milliseconds) async throws {
        let lease = Int64(FarmLimits.leaseSeconds * 1000)
        let until = now + Int64(seconds * 1000)
        try await write { db in
            try self.forgetFuture(now: now, db)
            try db.executeKept(
                sql: "UPDATE lease SET deadline = max(deadline, ?) WHERE state = 'live'",
                arguments: [until]
            )
            // Who was silent long before the coordinator stopped is no worker to wait for.
            try self.changeWorkers(
                """
                UPDATE worker SET seen = max(seen, ?) WHERE lost IS NULL
                AND seen >= (SELECT max(seen) FROM worker) - ?
                """,
                [until - lease, lease],
                db
            )
        }
    }

    /// Brings times of a coordinator before this one that are to come to now: its clock was set back
    /// meanwhile, and nobody waits for what it said.
    private func forgetFuture(now: Milliseconds, _ db: Database) throws {
        try db.executeKept(
            sql: """
                UPDATE lease SET granted = min(granted, ?1), deadline = min(deadline, ?2),
                heard = min(heard, ?1)
                WHERE state = 'live' AND (granted > ?1 OR deadline > ?2 OR heard > ?1)
                """,
            arguments: [now, now + Int64(FarmLimits.leaseSeconds * 1000)]
        )
        try db.executeKept(
            sql: """
                UPDATE attempt SET ended = ?1 WHERE ended > ?1
                AND epoch IN (SELECT epoch FROM lease WHERE state = 'live')
                """,
            arguments: [now]
        )
        try changeWorkers(
            """
            UPDATE worker SET seen = min(seen, ?1), doubted_at = min(doubted_at, ?1),
            quiet_at = min(quiet_at, ?1)
            WHERE seen > ?1 OR doubted_at > ?1 OR quiet_at > ?1
            """,
            [now],
            db
        )
    }

    /// Ends a lease whose worker is gone: the running test counts an attempt, the others do not.
    ///
    /// Of several leases of one worker the newest comes first: whether it had begun shows in what
    /// is left of those before.
    private func takeBack(_ epoch: Int64, now: Milliseconds, _ db: Database) throws {
        guard try end(epoch, as: "expired", now: now, db) != nil else { return }
        guard try wasBegun(epoch, db) else { return try requeue(epoch, db) }
        let running = try String.fetchOne(
            db.cachedStatement(sql: "SELECT running FROM lease WHERE epoch = ?"),
            arguments: [epoch]
        )
        // A worker that died before it said what it runs was about to run its first test.
        let suspect = try Int64.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT id FROM test_case WHERE epoch = ? AND state = 1
                    ORDER BY (test = ?) DESC, id LIMIT 1
                    """
            ),
            arguments: [epoch, running ?? ""]
        )
        if let suspect { try countLost(suspect, epoch: epoch, now: now, db) }
        try requeue(epoch, db)
    }

    /// Whether the tests of a lease had begun when its worker was lost.
    ///
    /// A worker claims its next lease a little before the tests of the last have ended, and works
    /// on its leases in their order. One that has not said what it runs under a lease had not
    /// begun on it while an earlier one still had tests without a report, or was lost with them.
    private func wasBegun(_ epoch: Int64, _ db: Database) throws -> Bool {
        let begun = try db.cachedStatement(
            sql: """
                SELECT running IS NOT NULL OR NOT EXISTS (
                  SELECT 1 FROM lease earlier
                  WHERE earlier.worker = lease.worker AND earlier.epoch < lease.epoch
                  AND CASE earlier.state
                    WHEN 'done' THEN FALSE
                    WHEN 'live' THEN EXISTS (
                      SELECT 1 FROM test_case t WHERE t.epoch = earlier.epoch AND t.state = 1)
                      OR earlier.backs IS NOT NULL AND NOT EXISTS (
                        SELECT 1 FROM attempt a
                        WHERE a.test_case = earlier.backs AND a.epoch = earlier.epoch)
                    ELSE earlier.ended > lease.granted END)
                FROM lease WHERE epoch = ?
                """
        )
        return try Bool.fetchOne(begun, arguments: [epoch]) ?? true
    }

    func state(of epoch: Int64, _ db: Database) throws -> String? {
        try String.fetchOne(
            db.cachedStatement(sql: "SELECT state FROM lease WHERE epoch = ?"),
            arguments: [epoch]
        )
    }

    /// Ends a live lease and returns its run; nil for one that has ended.
    func end(
        _ epoch: Int64,
        as state: String,
        evidence: Data? = nil,
        now: Milliseconds,
        _ db: Database
    ) throws -> RunID? {
        let end = try db.cachedStatement(
            sql: """
                UPDATE lease SET state = ?, ended = ?, evidence = ?
                WHERE epoch = ? AND state = 'live' RETURNING run, job, cell, worker
                """
        )
        let ended = try Row.fetchAll(end, arguments: [state, now, evidence, epoch])
        guard let row = ended.first else { return nil }
        let run = RunID(row[0] as String)
        let worker = WorkerID(row[3] as String)
        boards.add(leases: -1, of: worker, in: run, job: row[1], cell: row[2])
        boards.leases.remove(epoch)
        return run
    }

    /// Lets wait again what a lease leaves, but for what its backup is at.
    func requeue(_ epoch: Int64, _ db: Database) throws {
        try passOn(epoch, db)
        try db.executeKept(
            sql: "UPDATE test_case SET state = 0, epoch = NULL WHERE epoch = ? AND state = 1",
            arguments: [epoch]
        )
        boards.order.someMayBeChoosy()
        try count(leased: -db.changesCount, under: epoch, db)
    }

    /// Keeps the counter of what the leases of a cell hold.
    func count(leased: Int, under epoch: Int64, _ db: Database) throws {
        guard leased != 0 else { return }
        try changeCounts(
            """
            leased = leased + ?
            WHERE (run, job, cell) = (SELECT run, job, cell FROM lease WHERE epoch = ?)
            """,
            [leased, epoch],
            db
        )
    }
}
