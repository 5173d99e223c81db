// Leases: granted, renewed, ended, taken back. A shard is cut here, at claim time.
import FarmCore
import Foundation
import GRDB

extension SQLiteLedger {
    package func hello(_ worker: WorkerID, now: Milliseconds) async throws {
        try await write { db in
            try db.execute(
                sql: """
                    INSERT INTO worker (id, seen) VALUES (?, ?)
                    ON CONFLICT (id) DO UPDATE SET seen = excluded.seen, lost = NULL
                    """,
                arguments: [worker.text, now]
            )
        }
    }

    package func claim(
        worker: WorkerID,
        request: String,
        warm: CellID?,
        now: Milliseconds
    ) async throws -> Lease? {
        try await write { db in
            // Also a worker that another ledger, or none, has heard of.
            try db.execute(
                sql: """
                    INSERT INTO worker (id, seen) VALUES (?, ?)
                    ON CONFLICT (id) DO UPDATE
                    SET seen = excluded.seen, lost = NULL, quiet_at = NULL
                    """,
                arguments: [worker.text, now]
            )
            switch try self.granted(to: worker, request: request, db) {
            case .lease(let lease): return lease
            case .ended: return nil
            case nil: break
            }
            let runs = try String.fetchAll(
                db,
                sql: """
                    SELECT id FROM run WHERE state = 'running' AND stopped IS NULL
                    ORDER BY started
                    """
            )
            let host = try self.hostState(of: worker, now: now, db)
            for run in runs {
                let id = RunID(run)
                let answer = try self.grant(
                    id,
                    to: worker,
                    on: host,
                    request: request,
                    warm: warm,
                    now: now,
                    db
                )
                switch answer {
                case .lease(let lease): return lease
                case .wait:
                    try self.awaitQuiet(worker, now: now, db)
                    return nil
                case .nothing: continue
                }
            }
            return nil
        }
    }

    /// What an earlier answer to the same request granted.
    private enum Granted {
        case lease(Lease)
        /// A request has one lease: a late copy of it gets none.
        case ended
    }

    private func granted(
        to worker: WorkerID,
        request: String,
        _ db: Database
    ) throws -> Granted? {
        guard
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT epoch, run, job, cell, state FROM lease
                    WHERE worker = ? AND request = ?
                    """,
                arguments: [worker.text, request]
            )
        else { return nil }
        guard row["state"] == "live" else { return .ended }
        return .lease(
            try lease(
                row["epoch"],
                RunID(row["run"] as String),
                job: row["job"],
                cell: row["cell"],
                db
            )
        )
    }

    private enum Grant {
        case lease(Lease)
        case wait
        case nothing
    }

    private func grant(
        _ run: RunID,
        to worker: WorkerID,
        on host: HostState,
        request: String,
        warm: CellID?,
        now: Milliseconds,
        _ db: Database
    ) throws -> Grant {
        let plan = try plan(run, db)
        let trust = try trust(of: worker, db)
        let peers = try peers(of: worker, planned: plan.testCount, now: now, db)
        let standing = WorkerStanding(
            worker,
            trust,
            peers: peers,
            planned: plan.testCount,
            now: now
        )
        guard standing.obstacle == nil else { return .nothing }
        // With nobody else to take it, a worker may repeat its own test.
        let avoid = standing.hasOthers ? worker.text : ""
        let isCanary = !trust.isProven && standing.hasOthers
        let waiting = try waitingCells(run, plan, avoiding: avoid, db)
        let active = try activeLeases(run, plan, db)
        let exclusive = Set(plan.jobs.map(\.job).filter(\.exclusive).map(\.name))
        let found = ClaimRules.choose(
            waiting: waiting,
            active: active,
            workers: peers.able + 1,
            warm: warm,
            exclusive: exclusive,
            sizeMax: isCanary ? FarmLimits.canaryTestsMax : FarmLimits.testsPerLeaseMax
        )
        let step = QuietRules.step(choice: found, waiting: waiting, host: host)
        if step == .wait { return .wait }
        guard case .lease(let choice) = step,
            let job = plan.jobs.firstIndex(where: { $0.job.name == choice.job }),
            let cell = plan.jobs[job].job.cells.firstIndex(where: { $0.id == choice.cell })
        else { return .nothing }
        try db.execute(
            sql: """
                INSERT INTO lease
                  (run, worker, request, job, cell, state, granted, deadline, quiet)
                VALUES (?, ?, ?, ?, ?, 'live', ?, ?, ?)
                """,
            arguments: [
                run.text, worker.text, request, job, cell, now, deadline(now),
                choice.company == .quiet,
            ]
        )
        let epoch = db.lastInsertedRowID
        try db.execute(
            sql: """
                UPDATE test_case SET state = 1, epoch = ? WHERE id IN (
                  SELECT id FROM test_case WHERE run = ? AND state = 0 AND job = ? AND cell = ?
                  AND alone = ? AND (avoid IS NULL OR avoid <> ?) ORDER BY id LIMIT ?)
                """,
            arguments: [
                epoch, run.text, job, cell, choice.company.rawValue, avoid, choice.size,
            ]
        )
        try count(leased: db.changesCount, under: epoch, db)
        return .lease(try lease(epoch, run, job: job, cell: cell, db))
    }

    /// What waits, from the counters; only what not every worker may take is looked for.
    private func waitingCells(
        _ run: RunID,
        _ plan: Plan,
        avoiding worker: String,
        _ db: Database
    ) throws -> [WaitingCell] {
        let means = try meanSeconds(run, db)
        let choosy = try choosyCells(run, avoiding: worker, db)
        let quiet = try quietCells(run, db)
        let waiting = try db.cachedStatement(
            sql: """
                SELECT job, cell, planned - done - leased FROM cell_progress
                WHERE run = ? AND planned > done + leased
                """
        )
        return try Row.fetchAll(waiting, arguments: [run.text]).map { row in
            let index: Int = row[0]
            let cell: Int = row[1]
            let job = plan.jobs[index].job
            let special = choosy[[index, cell]]
            let silent = quiet[[index, cell]] ?? 0
            return WaitingCell(
                job: job.name,
                cell: job.cells[cell].id,
                count: row[2] - (special?.notTogether ?? 0) - silent,
                alone: special?.alone ?? 0,
                quiet: silent,
                meanSeconds: means[index]
            )
        }
    }

    /// Waiting test cases that run alone, or not on some worker; there are few.
    private func choosyCells(
        _ run: RunID,
        avoiding worker: String,
        _ db: Database
    ) throws -> [[Int]: (notTogether: Int, alone: Int)] {
        let choosy = try db.cachedStatement(
            sql: """
                SELECT job, cell, total(alone = 1 OR avoid = ?),
                  total(alone = 1 AND (avoid IS NULL OR avoid <> ?))
                FROM test_case WHERE run = ? AND state = 0 AND (alone = 1 OR avoid IS NOT NULL)
                GROUP BY job, cell
                """
        )
        let rows = try Row.fetchAll(choosy, arguments: [worker, worker, run.text])
        return rows.reduce(into: [:]) { cells, row in
            let counts = (notTogether: Int(row[2] as Double), alone: Int(row[3] as Double))
            cells[[row[0], row[1]]] = counts
        }
    }

    /// What a report of each job said on average, by the job's position in the plan.
    private func meanSeconds(_ run: RunID, _ db: Database) throws -> [Int: Double] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT job, total(seconds) / total(reports) AS mean FROM cell_progress
                WHERE run = ? GROUP BY job HAVING total(reports) > 0
                """,
            arguments: [run.text]
        )
        return rows.reduce(into: [:]) { $0[$1["job"]] = $1["mean"] as Double }
    }

    private func activeLeases(
        _ run: RunID,
        _ plan: Plan,
        _ db: Database
    ) throws -> [ActiveLease] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT job, cell, count(*) AS leases FROM lease
                WHERE run = ? AND state = 'live' GROUP BY job, cell
                """,
            arguments: [run.text]
        ).map { row in
            let job = plan.jobs[row["job"] as Int].job
            return ActiveLease(
                job: job.name,
                cell: job.cells[row["cell"] as Int].id,
                count: row["leases"]
            )
        }
    }

    private func lease(
        _ epoch: Int64,
        _ run: RunID,
        job: Int,
        cell: Int,
        _ db: Database
    ) throws -> Lease {
        let tests = try String.fetchAll(
            db,
            sql: "SELECT test FROM test_case WHERE epoch = ? AND state = 1 ORDER BY id",
            arguments: [epoch]
        )
        let plan = try plan(run, db)
        let planned = plan.jobs[job]
        var single = planned.job
        // A worker needs its own cell only; a matrix of hundreds would travel with every lease.
        single.cells = [planned.job.cells[cell]]
        let shard = Shard(
            run: run,
            mode: plan.mode,
            job: single,
            cell: planned.job.cells[cell],
            tests: tests.map { TestID($0) },
            prepared: planned.prepared,
            workTree: plan.workTree
        )
        return Lease(token: LeaseToken(id: LeaseID("L\(epoch)"), epoch: epoch), shard: shard)
    }

    func deadline(_ now: Milliseconds) -> Milliseconds {
        now + Int64(FarmLimits.leaseSeconds * 1000)
    }

    package func renew(
        _ token: LeaseToken,
        running: TestID?,
        now: Milliseconds
    ) async throws -> FencedAnswer {
        try await write { db in
            try db.execute(
                sql: """
                    UPDATE lease SET deadline = ?, running = ?
                    WHERE epoch = ? AND state = 'live'
                    """,
                arguments: [self.deadline(now), running?.text, token.epoch]
            )
            guard db.changesCount == 1 else { return .stale }
            try db.execute(
                sql: """
                    UPDATE worker SET seen = ?
                    WHERE id = (SELECT worker FROM lease WHERE epoch = ?)
                    """,
                arguments: [now, token.epoch]
            )
            return .accepted
        }
    }

    package func release(_ token: LeaseToken, now: Milliseconds) async throws -> FencedAnswer {
        try await write { db in
            guard try self.end(token.epoch, as: "released", now: now, db) else {
                return try self.state(of: token.epoch, db) == "released" ? .duplicate : .stale
            }
            try self.requeue(token.epoch, db)
            return .accepted
        }
    }
}
