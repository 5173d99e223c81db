// Backups of stragglers (`BackupRules`, docs/adr/0022-stragglers.md). A backup is a lease like any
// other, but for one thing: its test case is still under the lease that straggles.
//
// Invariants
//   - A test case is under one lease. Its backup gets it when that lease ends without a final
//     verdict, or by the first report; the other lease then ends.
//   - Its attempts stay in the order of their leases: what passes on goes to the newer one.
//   - A test case has one backup, ever; only a first attempt has one.
//   - What waits behind a straggler waits for everybody: its lease is trimmed to what runs.
import FarmCore
import GRDB
import Synchronization

extension WaitingCell {
    /// As claims see it that count on nobody who is stuck there.
    func without(_ stuck: [CellKey: Int]) -> WaitingCell {
        var cell = self
        cell.workers = max(0, workers - (stuck[CellKey(job: job, cell: self.cell)] ?? 0))
        return cell
    }
}

/// A test case that takes too long, and the lease it is under.
private struct Straggler {
    let epoch: Int64
    let testCase: Int64
    let test: TestID
    let worker: WorkerID
    /// Positions in the plan.
    let job: Int
    let cell: Int
    /// Seconds beyond what is still in order.
    let overrun: Double

    /// Whether another worker may do something about it.
    func isFor(_ other: WorkerID, _ scopes: [ClaimScope]) -> Bool {
        worker != other && scopes.contains { $0.has((job, cell)) }
    }
}

extension SQLiteLedger {
    // MARK: who straggles

    package func newStragglers(now: Milliseconds) async throws -> [TestKey] {
        try await write { db in
            try self.runsByTurn(db).flatMap { run in
                let plan = try self.plan(run, db)
                let stragglers =
                    try self.stragglers(Self.lastOfLease, of: run, plan, now: now, db)
                    + self.stragglers(Self.inTheWay, of: run, plan, now: now, db)
                return stragglers.filter { self.boards.order.straggles($0.testCase) }.map {
                    let job = plan.jobs[$0.job].job
                    return TestKey(job: job.name, cell: job.cells[$0.cell].id, test: $0.test)
                }
            }
        }
    }

    /// Test cases that are all that is left of their leases and had no backup yet.
    private static let lastOfLease = """
        WHERE NOT l.hasMore AND t.attempts = 0 AND t.alone = 0
          AND NOT EXISTS (SELECT 1 FROM lease b WHERE b.backs = t.id)
        """

    /// Test cases that run while others of their leases wait: their workers have said so since
    /// their last report.
    private static let inTheWay = """
        WHERE l.hasMore AND l.deadline - \(Int64(FarmLimits.leaseSeconds * 1000)) > l.since
          AND t.test = l.running AND (t.run, t.job, t.cell) = (l.run, l.job, l.cell)
        """

    /// `such` is a condition on a live lease `l` and a test case `t` that it has.
    private func stragglers(
        _ such: String,
        of run: RunID,
        _ plan: Plan,
        now: Milliseconds,
        _ db: Database
    ) throws -> [Straggler] {
        let jobs = plan.jobs.map { BackupRules.applies(to: $0.job, mode: plan.mode) }
        guard jobs.contains(true), (plan.rules ?? RunRules()).repeats <= 1 else { return [] }
        let select = try db.cachedStatement(
            sql: """
                WITH late AS MATERIALIZED (
                  SELECT *, max(granted, coalesce(heard, 0)) AS since, EXISTS (
                      SELECT 1 FROM test_case o WHERE o.epoch = lease.epoch AND o.state = 1
                      LIMIT 1 OFFSET 1) AS hasMore
                  FROM lease INDEXED BY lease_of_run
                  WHERE run = ? AND state = 'live' AND quiet = 0
                    AND max(granted, coalesce(heard, 0)) < ?)
                SELECT l.epoch, t.id, t.test, l.worker, l.job, l.cell, l.since,
                  CASE WHEN r.learned THEN t.cost + (
                    SELECT c.start FROM cell_progress c
                    WHERE c.run = l.run AND c.job = l.job AND c.cell = l.cell) END
                FROM late l CROSS JOIN run r ON r.id = l.run
                CROSS JOIN test_case t ON t.epoch = l.epoch AND t.state = 1
                \(such)
                """
        )
        let before = now - Int64(FarmLimits.backupSecondsMin * 1000)
        let rows = try Row.fetchAll(select, arguments: [run.text, before])
        guard !rows.isEmpty else { return [] }
        let means = try board(of: run, plan, db).meanSeconds
        return rows.compactMap { row in
            let job: Int = row[4]
            guard jobs[job] else { return nil }
            let overrun = BackupRules.overrun(
                of: RunningTest(
                    seconds: Double(now - row[6]) / 1000,
                    learnedSeconds: (row[7] as Int64?).map { Double($0) / 1_000_000 },
                    meanSeconds: means[plan.jobs[job].job.name]
                )
            )
            return overrun.map {
                Straggler(
                    epoch: row[0],
                    testCase: row[1],
                    test: TestID(row[2] as String),
                    worker: WorkerID(row[3] as String),
                    job: job,
                    cell: row[5],
                    overrun: $0
                )
            }
        }
    }

    // MARK: what waits behind a straggler

    /// Leases what waits behind the straggler of a run that is furthest behind.
    ///
    /// Its worker does not know: it hears it with the first report of what is not its own any more.
    private func leaseBehindStraggler(
        of run: RunID,
        to claim: Claim,
        _ trust: WorkerTrust,
        _ scopes: [ClaimScope],
        on host: HostState,
        _ db: Database
    ) throws -> Lease? {
        let plan = try plan(run, db)
        let late = try stragglers(Self.inTheWay, of: run, plan, now: claim.now, db)
            .filter { $0.isFor(claim.worker, scopes) }
            .max { $0.overrun < $1.overrun }
        guard let late else { return nil }
        var lease: Lease?
        try db.inSavepoint {
            try trim(late, db)
            let answer = try grant(run, to: claim, trust, on: host, db)
            if case .lease(let granted) = answer { lease = granted }
            // Who would not work on it takes it from nobody.
            return lease == nil ? .rollback : .commit
        }
        if lease == nil { boards.forget() }
        return lease
    }

    /// Leaves a lease what runs, and lets the rest wait again.
    private func trim(_ straggler: Straggler, _ db: Database) throws {
        try db.executeKept(
            sql: """
                UPDATE test_case SET state = 0, epoch = NULL
                WHERE epoch = ? AND state = 1 AND id <> ?
                """,
            arguments: [straggler.epoch, straggler.testCase]
        )
        try count(leased: -db.changesCount, under: straggler.epoch, db)
        try db.executeKept(
            sql: "UPDATE lease SET trimmed = 1 WHERE epoch = ?",
            arguments: [straggler.epoch]
        )
        boards.order.someMayBeChoosy()
        boards.order.someStraggles()
    }

    /// Ends a lease of which others have what waited, and nothing is left.
    func endIfTrimmed(_ epoch: Int64, now: Milliseconds, _ db: Database) throws {
        guard try someStraggles(db) else { return }
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

    // MARK: backups

    /// What a worker gets for which nothing waits, because others take too long.
    func helpOut(
        _ claim: Claim,
        _ trust: WorkerTrust,
        on host: HostState,
        _ db: Database
    ) throws -> Lease? {
        guard !host.isQuiet, !host.isAwaited else { return nil }
        for run in try runsByTurn(db) {
            let scopes = try freeScopes(of: claim, trust, in: run, db)
            let lease =
                try leaseBehindStraggler(of: run, to: claim, trust, scopes, on: host, db)
                ?? backUp(run, by: claim, scopes, db)
            if let lease { return lease }
        }
        return nil
    }

    /// Leases the test case of a run that is furthest behind, to a worker that has proven itself
    /// and has nothing else to do.
    private func backUp(
        _ run: RunID,
        by claim: Claim,
        _ scopes: [ClaimScope],
        _ db: Database
    ) throws -> Lease? {
        let plan = try plan(run, db)
        let late = try stragglers(Self.lastOfLease, of: run, plan, now: claim.now, db)
        let last = late.filter { $0.isFor(claim.worker, scopes.filter(\.trust.isProven)) }.max {
            $0.overrun < $1.overrun
        }
        guard let last, try !holdsLease(claim.worker, db) else { return nil }
        boards.order.someStraggles()
        let backup = NewLease(
            run: run,
            claim: claim,
            job: last.job,
            cell: last.cell,
            backs: last.testCase
        )
        return try insert(backup, plan, db) { _ in [(last.testCase, last.test)] }
    }

    /// A worker that claims ahead is not idle, and its backup would only wait.
    private func holdsLease(_ worker: WorkerID, _ db: Database) throws -> Bool {
        let held = try db.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM lease WHERE worker = ? AND state = 'live')"
        )
        return try Bool.fetchOne(held, arguments: [worker.text]) == true
    }

    /// Which test cases of a run have live backups, for who looks; a few of them.
    func backupNotes(of run: RunID, _ plan: Plan, _ db: Database) throws -> [Problem] {
        let select = try db.cachedStatement(
            sql: """
                SELECT t.job, t.cell, t.test, late.worker, l.worker
                FROM lease l INDEXED BY lease_of_run JOIN test_case t ON t.id = l.backs
                JOIN lease late ON late.epoch = t.epoch
                WHERE l.run = ? AND l.state = 'live' AND t.state = 1 AND \(Self.isBackup)
                ORDER BY l.epoch LIMIT \(Self.backupNotesMax)
                """
        )
        return try Row.fetchAll(select, arguments: [run.text]).map { row in
            let job = plan.jobs[row[0] as Int].job
            let test = TestKey(
                job: job.name,
                cell: job.cells[row[1] as Int].id,
                test: TestID(row[2] as String)
            )
            return .straggles(
                test,
                on: WorkerID(row[3] as String),
                backedBy: WorkerID(row[4] as String)
            )
        }
    }

    private static let backupNotesMax = 3

    // MARK: the first report decides

    /// Lets a backup that reports have its test case, and ends the lease that straggles.
    ///
    /// False where the lease is no live backup of this test case.
    func takeOver(
        _ testCase: Int64,
        from epoch: Int64,
        by backup: Int64,
        now: Milliseconds,
        _ db: Database
    ) throws -> Bool {
        guard try liveBackup(of: testCase, db) == backup else { return false }
        try db.executeKept(
            sql: "UPDATE test_case SET epoch = ? WHERE id = ? AND state = 1",
            arguments: [backup, testCase]
        )
        _ = try end(epoch, as: "revoked", now: now, db)
        // It had nothing else when the backup was granted.
        try requeue(epoch, db)
        return true
    }

    /// Ends the backup of a test case that has its verdict, or waits for what no backup can be.
    func revokeBackup(of testCase: Int64, now: Milliseconds, _ db: Database) throws {
        guard let backup = try liveBackup(of: testCase, db) else { return }
        _ = try end(backup, as: "revoked", now: now, db)
    }

    /// Whether a lease `l` runs the test case `t` that it backs beside the lease that has it.
    ///
    /// What it has reported may be under a third lease by now, and is no more its business.
    static let isBackup = """
        t.epoch IS NOT l.epoch AND NOT EXISTS (
          SELECT 1 FROM attempt a WHERE a.test_case = l.backs AND a.epoch = l.epoch)
        """

    /// The live lease that runs a test case beside the lease it is under.
    ///
    /// A backup that has reported or has the test case is none any more.
    func liveBackup(of testCase: Int64, _ db: Database) throws -> Int64? {
        guard try someStraggles(db) else { return nil }
        let select = try db.cachedStatement(
            sql: """
                SELECT l.epoch FROM lease l JOIN test_case t ON t.id = l.backs
                WHERE l.backs = ? AND l.state = 'live' AND \(Self.isBackup)
                """
        )
        return try Int64.fetchOne(select, arguments: [testCase])
    }

    /// Workers by cell that run a straggler and nothing else: they begin nothing there soon.
    func stuckWorkers(in run: RunID, _ plan: Plan, _ db: Database) throws -> [CellKey: Int] {
        guard try someStraggles(db) else { return [:] }
        let select = try db.cachedStatement(
            sql: """
                SELECT job, cell, count(DISTINCT worker) FROM lease INDEXED BY lease_trimmed
                WHERE trimmed = 1 AND state = 'live' AND run = ? GROUP BY job, cell
                """
        )
        return try Row.fetchAll(select, arguments: [run.text]).reduce(into: [:]) { stuck, row in
            let job = plan.jobs[row[0] as Int].job
            stuck[CellKey(job: job.name, cell: job.cells[row[1] as Int].id)] = row[2]
        }
    }

    /// Whether a live lease is a backup, or was trimmed.
    private func someStraggles(_ db: Database) throws -> Bool {
        try boards.order.someStraggles {
            let select = try db.cachedStatement(
                sql: """
                    SELECT EXISTS (SELECT 1 FROM lease INDEXED BY lease_backs
                        WHERE backs IS NOT NULL AND state = 'live')
                      OR EXISTS (SELECT 1 FROM lease INDEXED BY lease_trimmed
                        WHERE trimmed = 1 AND state = 'live')
                    """
            )
            return try Bool.fetchOne(select) == true
        }
    }

    // MARK: a lease ends before its test case

    /// Gives what is left of a lease that ends to its backup, if it has one.
    func passOn(_ epoch: Int64, _ db: Database) throws {
        guard try someStraggles(db) else { return }
        let left = try Int64.fetchAll(
            db.cachedStatement(sql: "SELECT id FROM test_case WHERE epoch = ? AND state = 1"),
            arguments: [epoch]
        )
        for testCase in left {
            guard let backup = try liveBackup(of: testCase, db) else { continue }
            try db.executeKept(
                sql: "UPDATE test_case SET epoch = ? WHERE id = ?",
                arguments: [backup, testCase]
            )
        }
    }
}
