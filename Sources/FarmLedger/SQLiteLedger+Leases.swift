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
                    ON CONFLICT (id) DO UPDATE SET seen = excluded.seen, lost = NULL
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
            for run in runs {
                let id = RunID(run)
                if let lease = try self.grant(
                    id,
                    to: worker,
                    request: request,
                    warm: warm,
                    now: now,
                    db
                ) {
                    return lease
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

    private func grant(
        _ run: RunID,
        to worker: WorkerID,
        request: String,
        warm: CellID?,
        now: Milliseconds,
        _ db: Database
    ) throws -> Lease? {
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
        guard standing.obstacle == nil else { return nil }
        // With nobody else to take it, a worker may repeat its own test.
        let avoid = standing.hasOthers ? worker.text : ""
        let isCanary = !trust.isProven && standing.hasOthers
        let waiting = try waitingCells(run, plan, avoiding: avoid, db)
        let active = try activeLeases(run, plan, db)
        let exclusive = Set(plan.jobs.map(\.job).filter(\.exclusive).map(\.name))
        guard
            let choice = ClaimRules.choose(
                waiting: waiting,
                active: active,
                workers: peers.able + 1,
                warm: warm,
                exclusive: exclusive,
                sizeMax: isCanary ? FarmLimits.canaryTestsMax : FarmLimits.testsPerLeaseMax
            ),
            let job = plan.jobs.firstIndex(where: { $0.job.name == choice.job }),
            let cell = plan.jobs[job].job.cells.firstIndex(where: { $0.id == choice.cell })
        else { return nil }
        try db.execute(
            sql: """
                INSERT INTO lease (run, worker, request, job, cell, state, granted, deadline)
                VALUES (?, ?, ?, ?, ?, 'live', ?, ?)
                """,
            arguments: [run.text, worker.text, request, job, cell, now, deadline(now)]
        )
        let epoch = db.lastInsertedRowID
        try db.execute(
            sql: """
                UPDATE test_case SET state = 1, epoch = ? WHERE id IN (
                  SELECT id FROM test_case WHERE run = ? AND state = 0 AND job = ? AND cell = ?
                  AND alone = ? AND (avoid IS NULL OR avoid <> ?) ORDER BY id LIMIT ?)
                """,
            arguments: [epoch, run.text, job, cell, choice.alone ? 1 : 0, avoid, choice.size]
        )
        return try lease(epoch, run, job: job, cell: cell, db)
    }

    private func waitingCells(
        _ run: RunID,
        _ plan: Plan,
        avoiding worker: String,
        _ db: Database
    ) throws -> [WaitingCell] {
        let means = try meanSeconds(run, db)
        return try Row.fetchAll(
            db,
            sql: """
                SELECT job, cell, total(alone = 0) AS together, total(alone = 1) AS alone
                FROM test_case WHERE run = ? AND state = 0 AND (avoid IS NULL OR avoid <> ?)
                GROUP BY job, cell
                """,
            arguments: [run.text, worker]
        ).map { row in
            let index: Int = row["job"]
            let job = plan.jobs[index].job
            return WaitingCell(
                job: job.name,
                cell: job.cells[row["cell"] as Int].id,
                count: Int(row["together"] as Double),
                alone: Int(row["alone"] as Double),
                meanSeconds: means[index]
            )
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
            sql: "SELECT job, cell FROM lease WHERE run = ? AND state = 'live'",
            arguments: [run.text]
        ).map { row in
            let job = plan.jobs[row["job"] as Int].job
            return ActiveLease(job: job.name, cell: job.cells[row["cell"] as Int].id)
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

    package func workerLost(_ worker: WorkerID, now: Milliseconds) async throws {
        try await write { db in
            try db.execute(
                sql: "UPDATE worker SET lost = ? WHERE id = ?",
                arguments: [now, worker.text]
            )
            let epochs = try Int64.fetchAll(
                db,
                sql: "SELECT epoch FROM lease WHERE worker = ? AND state = 'live'",
                arguments: [worker.text]
            )
            for epoch in epochs { try self.takeBack(epoch, now: now, db) }
        }
    }

    package func reap(now: Milliseconds) async throws -> Int {
        try await write { db in
            let epochs = try Int64.fetchAll(
                db,
                sql: "SELECT epoch FROM lease WHERE state = 'live' AND deadline < ?",
                arguments: [now]
            )
            for epoch in epochs { try self.takeBack(epoch, now: now, db) }
            return epochs.count
        }
    }

    package func takeBackAll(now: Milliseconds) async throws {
        try await write { db in
            let epochs = try Int64.fetchAll(
                db,
                sql: "SELECT epoch FROM lease WHERE state = 'live'"
            )
            for epoch in epochs {
                _ = try self.end(epoch, as: "interrupted", now: now, db)
                try self.requeue(epoch, db)
            }
            // Who still lives will say so; the workers of the process before must not be shared
            // out work, nor be waited for.
            try db.execute(
                sql: "UPDATE worker SET lost = ? WHERE lost IS NULL",
                arguments: [now]
            )
        }
    }

    package func grantGrace(seconds: Double, now: Milliseconds) async throws {
        let lease = Int64(FarmLimits.leaseSeconds * 1000)
        let until = now + Int64(seconds * 1000)
        try await write { db in
            try db.execute(
                sql: "UPDATE lease SET deadline = max(deadline, ?) WHERE state = 'live'",
                arguments: [until]
            )
            // Who was silent long before the coordinator stopped is no worker to wait for.
            try db.execute(
                sql: """
                    UPDATE worker SET seen = max(seen, ?) WHERE lost IS NULL
                    AND seen >= (SELECT max(seen) FROM worker) - ?
                    """,
                arguments: [until - lease, lease]
            )
        }
    }

    /// Ends a lease whose worker is gone: the running test counts an attempt, the others do not.
    private func takeBack(_ epoch: Int64, now: Milliseconds, _ db: Database) throws {
        guard try end(epoch, as: "expired", now: now, db) else { return }
        let running = try String.fetchOne(
            db,
            sql: "SELECT running FROM lease WHERE epoch = ?",
            arguments: [epoch]
        )
        // A worker that died before it said what it runs was about to run its first test.
        let suspect = try Int64.fetchOne(
            db,
            sql: """
                SELECT id FROM test_case WHERE epoch = ? AND state = 1
                ORDER BY (test = ?) DESC, id LIMIT 1
                """,
            arguments: [epoch, running ?? ""]
        )
        if let suspect { try countLost(suspect, epoch: epoch, now: now, db) }
        try requeue(epoch, db)
    }

    func state(of epoch: Int64, _ db: Database) throws -> String? {
        try String.fetchOne(db, sql: "SELECT state FROM lease WHERE epoch = ?", arguments: [epoch])
    }

    func end(_ epoch: Int64, as state: String, now: Milliseconds, _ db: Database) throws -> Bool {
        try db.execute(
            sql: "UPDATE lease SET state = ?, ended = ? WHERE epoch = ? AND state = 'live'",
            arguments: [state, now, epoch]
        )
        return db.changesCount == 1
    }

    func requeue(_ epoch: Int64, _ db: Database) throws {
        try db.execute(
            sql: "UPDATE test_case SET state = 0, epoch = NULL WHERE epoch = ? AND state = 1",
            arguments: [epoch]
        )
    }
}
