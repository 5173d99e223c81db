// Hosts, and test cases that run alone on their host, by the rule `IsolationRules`. There are
// nearly never any: the queries read indexes that are nearly always empty.
import FarmCore
import GRDB

extension SQLiteLedger {
    package func setHost(_ worker: WorkerID, on host: String, now: Milliseconds) async throws {
        try await write { db in
            try db.executeKept(
                sql: """
                    INSERT INTO worker (id, seen, host) VALUES (?, ?, ?)
                    ON CONFLICT (id) DO UPDATE SET seen = excluded.seen, host = excluded.host
                    """,
                arguments: [worker.text, now, host]
            )
        }
    }

    /// Returns the state of a worker's host.
    ///
    /// A worker that reported no host counts as a host of its own.
    func hostState(of worker: WorkerID, now: Milliseconds, _ db: Database) throws -> HostState {
        guard try someIsolated(db) else { return HostState() }
        let leases = try db.cachedStatement(
            sql: """
                SELECT count(*) AS leases, total(l.isolated) > 0 AS isolated FROM lease l
                JOIN worker w ON w.id = l.worker
                WHERE l.state = 'live' AND coalesce(w.host, w.id) = (
                  SELECT coalesce(host, id) FROM worker WHERE id = ?)
                """
        )
        let awaited = try db.cachedStatement(
            sql: """
                SELECT EXISTS (SELECT 1 FROM worker WHERE isolation_awaited >= ? AND lost IS NULL
                  AND id <> ? AND host = (SELECT host FROM worker WHERE id = ?))
                """
        )
        let row = try Row.fetchOne(leases, arguments: [worker.text])
        return HostState(
            leases: row?["leases"] as Int? ?? 0,
            isIsolated: row?["isolated"] as Bool? ?? false,
            isAwaited: try Bool.fetchOne(
                awaited,
                arguments: [Self.liveSince(now), worker.text, worker.text]
            ) ?? false
        )
    }

    /// Returns whether an isolated test case runs or waits.
    private func someIsolated(_ db: Database) throws -> Bool {
        let wanted = try db.cachedStatement(
            sql: """
                SELECT EXISTS (SELECT 1 FROM lease INDEXED BY lease_isolated
                    WHERE state = 'live' AND isolated = 1)
                  OR EXISTS (SELECT 1 FROM test_case t INDEXED BY test_case_isolated
                    CROSS JOIN run r ON r.id = t.run
                    WHERE t.state = 0 AND t.alone = 2 AND r.state = 'running'
                      AND r.stopped IS NULL)
                """
        )
        return try Bool.fetchOne(wanted) == true
    }

    /// Notes that a worker waits until nothing runs on its host; its next claim clears the note.
    func awaitIsolation(_ worker: WorkerID, now: Milliseconds, _ db: Database) throws {
        try db.executeKept(
            sql: "UPDATE worker SET isolation_awaited = ? WHERE id = ?",
            arguments: [now, worker.text]
        )
    }

    /// Returns the number of isolated test cases that wait, and the number of these that may run
    /// now, by positions of job and cell in the plan.
    func isolatedCells(
        _ run: RunID,
        _ db: Database
    ) throws -> [[Int]: (waiting: Int, ready: Int)] {
        let select = try db.cachedStatement(
            sql: """
                SELECT job, cell, count(*), total(\(Self.isFirstWithChange))
                FROM test_case t INDEXED BY test_case_isolated
                WHERE run = ? AND state = 0 AND alone = 2 GROUP BY job, cell
                """
        )
        return try Row.fetchAll(select, arguments: [run.text]).reduce(into: [:]) { cells, row in
            cells[[row[0], row[1]]] = (row[2], Int(row[3] as Double))
        }
    }

    /// The SQL condition for the first of the isolated test cases with the same change; the others
    /// wait for its result.
    static let isFirstWithChange = """
        NOT EXISTS (SELECT 1 FROM test_case o WHERE o.run = t.run AND o.change = t.change
          AND o.alone = 2 AND o.state < 2 AND o.id < t.id)
        """
}
