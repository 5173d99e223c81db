// Slow tests (stragglers: `RunningTest.straggles`, docs/adr/0040-leases.md). While a worker is
// idle, the lease of a slow test is trimmed to the tests that it has started, and any worker may
// take the rest. A started test stays with its lease, because a program that reports only at its
// end may have its result already.
//
// Invariant: a test case is under one lease. A trimmed lease ends with the last report of its
// remaining tests; its worker learns of the trim at its next report or renewal.
import FarmCore
import GRDB

extension WaitingCell {
    /// Returns this cell with fewer workers: without those that are stuck in a slow test.
    ///
    /// `stuck` has the number of stuck workers by cell.
    func without(_ stuck: [CellKey: Int]) -> WaitingCell {
        var cell = self
        cell.workers = max(0, workers - (stuck[CellKey(job: job, cell: self.cell)] ?? 0))
        return cell
    }
}

/// A test case that takes too long, and its lease.
private struct Straggler {
    let epoch: Int64
    let testCase: Int64
    let key: TestKey
}

extension SQLiteLedger {
    package func trimStragglers(now: Milliseconds) async throws -> [TestKey] {
        try await write { db in
            guard try self.someWorkerIsIdle(now: now, db) else { return [] }
            let late = try self.leasedRuns(db).flatMap { run in
                try self.stragglers(of: run, now: now, db)
            }
            for straggler in late { try self.trim(straggler, db) }
            return late.map(\.key)
        }
    }

    /// Returns the open runs that go on and have live leases.
    private func leasedRuns(_ db: Database) throws -> [RunID] {
        let select = try db.cachedStatement(
            sql: """
                SELECT id FROM run r WHERE state = 'running' AND stopped IS NULL AND EXISTS (
                  SELECT 1 FROM lease INDEXED BY lease_of_run
                  WHERE run = r.id AND state = 'live')
                """
        )
        return try String.fetchAll(select).map { RunID($0) }
    }

    private func someWorkerIsIdle(now: Milliseconds, _ db: Database) throws -> Bool {
        let idle = try db.cachedStatement(
            sql: """
                SELECT EXISTS (SELECT 1 FROM worker w
                  WHERE seen >= ? AND lost IS NULL AND unfit IS NULL AND NOT EXISTS (
                    SELECT 1 FROM lease WHERE worker = w.id AND state = 'live'))
                """
        )
        return try Bool.fetchOne(idle, arguments: [Self.liveSince(now)]) == true
    }

    /// The SQL condition for a test case `o` that lease `l` has not started; `t` is the running
    /// one.
    private static let isOfRest = """
        o.epoch = l.epoch AND o.state = 1 AND o.id <> t.id AND o.started_under IS NOT l.epoch
        """

    /// Returns the test cases that run too long while other tests of the same leases wait.
    ///
    /// A lease counts only after a renewal later than the last test that it started or reported.
    private func stragglers(
        of run: RunID,
        now: Milliseconds,
        _ db: Database
    ) throws -> [Straggler] {
        let plan = try plan(run, db)
        let select = try db.cachedStatement(
            sql: """
                WITH late AS MATERIALIZED (
                  SELECT *, max(granted, coalesce(heard, 0)) AS since
                  FROM lease INDEXED BY lease_of_run
                  WHERE run = ? AND state = 'live' AND isolated = 0
                    AND max(granted, coalesce(heard, 0)) < ?)
                SELECT l.epoch, t.id, t.test, l.job, l.cell, l.since, l.heard IS NULL,
                  CASE WHEN r.learned THEN t.cost END,
                  (SELECT count(*) FROM test_case o WHERE \(Self.isOfRest)),
                  (SELECT CASE WHEN r.learned THEN sum(o.cost) END FROM test_case o
                    WHERE \(Self.isOfRest))
                FROM late l CROSS JOIN run r ON r.id = l.run
                CROSS JOIN test_case t ON t.epoch = l.epoch AND t.state = 1 AND t.test = l.running
                WHERE l.deadline - \(Int64(FarmLimits.leaseSeconds * 1000)) > l.since
                  AND EXISTS (SELECT 1 FROM test_case o WHERE \(Self.isOfRest))
                """
        )
        let before = now - Int64(FarmLimits.stragglerSecondsMin * 1000)
        let rows = try Row.fetchAll(select, arguments: [run.text, before])
        guard !rows.isEmpty else { return [] }
        let board = try board(of: run, db)
        let (means, cells) = (board.meanSeconds, board.startingCells)
        return try rows.compactMap { row in
            let (job, cell) = try Self.place(in: plan, job: row[3], cell: row[4])
            let start = board.place(job: row[3], cell: row[4]).map { cells[$0].start } ?? .none
            func seconds(_ microseconds: Int64?) -> Double? {
                microseconds.map { Double($0) / 1_000_000 }
            }
            let running = RunningTest(
                seconds: Double(now - row[5]) / 1000,
                learnedSeconds: seconds(row[7]),
                meanSeconds: means[job.name],
                start: start,
                isFirst: row[6],
                restSeconds: seconds(row[9]) ?? means[job.name].map { $0 * Double(row[8] as Int) }
            )
            // No other worker may take the rest beside an exclusive job.
            guard running.straggles, !job.exclusive else { return nil }
            let test = TestID(row[2] as String)
            return Straggler(
                epoch: row[0],
                testCase: row[1],
                key: TestKey(job: job.name, cell: cell.id, test: test)
            )
        }
    }

    /// Trims a lease to its running and started tests, and requeues its other tests.
    private func trim(_ straggler: Straggler, _ db: Database) throws {
        try db.executeKept(
            sql: """
                UPDATE test_case SET state = 0, epoch = NULL
                WHERE epoch = ? AND state = 1 AND id <> ? AND started_under IS NOT epoch
                """,
            arguments: [straggler.epoch, straggler.testCase]
        )
        try count(leased: -db.changesCount, under: straggler.epoch, db)
        try db.executeKept(
            sql: "UPDATE lease SET trimmed = 1 WHERE epoch = ?",
            arguments: [straggler.epoch]
        )
    }

    /// Notes the tests that a lease has started.
    ///
    /// New ones count as a sign of progress at `now`.
    func note(
        _ started: [TestID],
        under epoch: Int64,
        now: Milliseconds,
        _ db: Database
    ) throws {
        guard !started.isEmpty else { return }
        try db.executeKept(
            sql: """
                UPDATE test_case SET started_under = epoch
                WHERE epoch = ? AND state = 1 AND started_under IS NOT epoch
                  AND test IN (SELECT value FROM json_each(?))
                """,
            arguments: [epoch, String(decoding: try Self.encode(started), as: UTF8.self)]
        )
        guard db.changesCount > 0 else { return }
        try db.executeKept(
            sql: "UPDATE lease SET heard = ? WHERE epoch = ?",
            arguments: [now, epoch]
        )
    }

    /// Ends a trimmed lease that has no test left.
    func endIfTrimmed(_ epoch: Int64, now: Milliseconds, _ db: Database) throws {
        let isEmpty = try db.cachedStatement(
            sql: """
                SELECT trimmed = 1 AND NOT EXISTS (
                  SELECT 1 FROM test_case t WHERE t.epoch = lease.epoch AND t.state = 1)
                FROM lease WHERE epoch = ?
                """
        )
        guard try Bool.fetchOne(isEmpty, arguments: [epoch]) == true else { return }
        _ = try end(epoch, as: "revoked", now: now, db)
    }

    /// Returns the number of workers, by cell, whose lease there is trimmed: they take no other
    /// work soon.
    func stuckWorkers(in run: RunID, _ plan: Plan, _ db: Database) throws -> [CellKey: Int] {
        let select = try db.cachedStatement(
            sql: """
                SELECT job, cell, count(DISTINCT worker) FROM lease INDEXED BY lease_trimmed
                WHERE trimmed = 1 AND state = 'live' AND run = ? GROUP BY job, cell
                """
        )
        return try Row.fetchAll(select, arguments: [run.text]).reduce(into: [:]) { stuck, row in
            let (job, cell) = try Self.place(in: plan, job: row[0], cell: row[1])
            stuck[CellKey(job: job.name, cell: cell.id)] = row[2]
        }
    }
}
