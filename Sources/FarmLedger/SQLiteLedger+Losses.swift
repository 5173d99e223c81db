// Leases that end without a call of their workers: lost workers, deadlines, restarts. A running
// test counts an attempt, a waiting one does not. A restart or a pause of the coordinator counts
// none.
import FarmCore
import Foundation
import GRDB

extension SQLiteLedger {
    @discardableResult
    package func takeBack(_ reason: LossReason, now: Milliseconds) async throws -> Int {
        if case .lost = reason { coming.lost(now: now) }
        return try await write { db in
            if reason == .restart { try self.forgetFuture(now: now, db) }
            let epochs = try Self.leases(lostBy: reason, now: now, db)
            for epoch in epochs {
                switch reason {
                case .expired, .lost: try self.lose(epoch, now: now, db)
                case .stalled, .restart: try self.interrupt(epoch, now: now, db)
                }
            }
            try Self.noteLost(reason, now: now, db)
            return epochs.count
        }
    }

    private static func leases(
        lostBy reason: LossReason,
        now: Milliseconds,
        _ db: Database
    ) throws -> [Int64] {
        let (which, arguments): (String, StatementArguments) =
            switch reason {
            case .expired, .stalled: ("deadline < ?", [now])
            case .lost(let worker): ("worker = ?", [worker.text])
            case .restart: ("TRUE", [])
            }
        let select = try db.cachedStatement(
            sql: "SELECT epoch FROM lease WHERE state = 'live' AND \(which) ORDER BY epoch"
        )
        return try Int64.fetchAll(select, arguments: arguments)
    }

    /// Marks workers as lost, so that no work is reserved and no claim waits for them.
    ///
    /// A worker that lives calls again.
    private static func noteLost(
        _ reason: LossReason,
        now: Milliseconds,
        _ db: Database
    ) throws {
        switch reason {
        case .expired, .stalled: break
        case .lost(let worker):
            try db.executeKept(
                sql: "UPDATE worker SET lost = ? WHERE id = ?",
                arguments: [now, worker.text]
            )
        case .restart:
            try db.executeKept(
                sql: "UPDATE worker SET lost = ? WHERE lost IS NULL",
                arguments: [now]
            )
        }
    }

    /// Ends a lease because its coordinator restarted or paused, and requeues its test cases; no
    /// attempt counts.
    private func interrupt(_ epoch: Int64, now: Milliseconds, _ db: Database) throws {
        _ = try end(epoch, as: "interrupted", now: now, db)
        try requeue(epoch, db)
    }

    package func extendLeases(seconds: Double, now: Milliseconds) async throws {
        let lease = Int64(FarmLimits.leaseSeconds * 1000)
        let until = now + Int64(seconds * 1000)
        try await write { db in
            try self.forgetFuture(now: now, db)
            try db.executeKept(
                sql: "UPDATE lease SET deadline = max(deadline, ?) WHERE state = 'live'",
                arguments: [until]
            )
            // Excludes workers that were silent long before the coordinator stopped.
            try db.executeKept(
                sql: """
                    UPDATE worker SET seen = max(seen, ?) WHERE lost IS NULL
                    AND seen >= (SELECT max(seen) FROM worker) - ?
                    """,
                arguments: [until - lease, lease]
            )
        }
    }

    /// Sets times in the future to now: an earlier coordinator wrote them, and the clock was set
    /// back since.
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
        try db.executeKept(
            sql: """
                UPDATE worker SET seen = min(seen, ?1), failed_at = min(failed_at, ?1),
                isolation_awaited = min(isolation_awaited, ?1)
                WHERE seen > ?1 OR failed_at > ?1 OR isolation_awaited > ?1
                """,
            arguments: [now]
        )
    }

    /// Ends the lease of a lost worker: the running test counts an attempt, the others do not.
    private func lose(_ epoch: Int64, now: Milliseconds, _ db: Database) throws {
        guard try end(epoch, as: "expired", now: now, db) != nil else { return }
        let running = try String.fetchOne(
            db.cachedStatement(sql: "SELECT running FROM lease WHERE epoch = ?"),
            arguments: [epoch]
        )
        // Without a named test the worker died before its first renewal: the first test is the
        // suspect.
        let suspect = try Int64.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT id FROM test_case WHERE epoch = ? AND state = 1
                    ORDER BY (test = ?) DESC, id LIMIT 1
                    """
            ),
            arguments: [epoch, running ?? ""]
        )
        if let suspect {
            try name(suspect, running: running, under: epoch, now: now, db)
            try countLost(suspect, epoch: epoch, now: now, db)
        }
        try requeue(epoch, db)
    }

    /// Adds a note to the run that names the test that its lost worker ran.
    private func name(
        _ suspect: Int64,
        running: String?,
        under epoch: Int64,
        now: Milliseconds,
        _ db: Database
    ) throws {
        let select = try db.cachedStatement(
            sql: """
                SELECT test, (SELECT count(*) FROM test_case WHERE epoch = ? AND state = 1)
                FROM test_case WHERE id = ?
                """
        )
        guard let lease = try LeaseFacts(epoch: epoch, self, db),
            let row = try Row.fetchOne(select, arguments: [epoch, suspect])
        else { return }
        let test = TestKey(job: lease.planned.name, cell: lease.cellID, test: TestID(row[0]))
        let problem = Problem.workerLost(
            lease.worker,
            test,
            open: row[1],
            isKnown: test.test.text == running
        )
        try note(problem, about: "\(suspect)", of: lease.run, now: now, db)
    }

    func state(of epoch: Int64, _ db: Database) throws -> String? {
        try String.fetchOne(
            db.cachedStatement(sql: "SELECT state FROM lease WHERE epoch = ?"),
            arguments: [epoch]
        )
    }

    /// Ends a live lease and returns its run, or `nil` if the lease has ended.
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
                WHERE epoch = ? AND state = 'live' RETURNING run
                """
        )
        let runs = try String.fetchAll(end, arguments: [state, now, evidence, epoch])
        return runs.first.map { RunID($0) }
    }

    /// Requeues the test cases that a lease still holds.
    func requeue(_ epoch: Int64, _ db: Database) throws {
        try db.executeKept(
            sql: "UPDATE test_case SET state = 0, epoch = NULL WHERE epoch = ? AND state = 1",
            arguments: [epoch]
        )
        try count(leased: -db.changesCount, under: epoch, db)
    }

    /// Adds `leased` to the counter of leased test cases of a lease's cell.
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
