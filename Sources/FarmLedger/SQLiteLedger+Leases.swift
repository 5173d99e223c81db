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
            for run in try self.runsByTurn(db) {
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

    /// Open runs in the order in which they are served: the more important first; among equals the
    /// one that fewest leases work for, so that a short run does not wait for a long one's end.
    private func runsByTurn(_ db: Database) throws -> [String] {
        try String.fetchAll(
            db,
            sql: """
                SELECT id FROM run WHERE state = 'running' AND stopped IS NULL
                ORDER BY priority DESC, (
                  SELECT count(*) FROM lease WHERE lease.run = run.id AND lease.state = 'live'
                ), started
                """
        )
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
        let scopes = try scopes(of: worker, trust, in: run, now: now, db).filter {
            $0.standing.obstacle == nil
        }
        guard !scopes.isEmpty else { return nil }
        let costs = try costs(of: run, plan, db)
        let waiting = try scopes.map { scope in
            try waitingCells(run, plan, within: scope, all: costs != nil, db)
        }
        var question = ClaimQuestion(
            waiting: Array(waiting.joined()),
            active: try activeLeases(run, plan, db),
            workers: scopes.map(\.workers).max() ?? 1,
            warm: warm,
            exclusive: Set(plan.jobs.map(\.job).filter(\.exclusive).map(\.name))
        )
        func decide() -> ClaimChoice? {
            // Where costs are known, none is a choice: one more worker would end nothing sooner.
            if let costs { return costs.choose(question) }
            return ClaimRules.choose(question)
        }
        // In which scope the best cell of all is; the size of its lease is that scope's business.
        guard let place = scopes.count == 1 ? 0 : decide()?.place(in: waiting) else { return nil }
        question.waiting = waiting[place]
        question.workers = scopes[place].workers
        question.sizeMax = scopes[place].sizeMax
        guard let choice = decide(),
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
                  AND alone = ? AND (avoid IS NULL OR avoid <> ?)
                  ORDER BY cost DESC, id LIMIT ?)
                """,
            arguments: [
                epoch, run.text, job, cell, choice.alone ? 1 : 0, scopes[place].avoid, choice.size,
            ]
        )
        try count(leased: db.changesCount, under: epoch, db)
        return try lease(epoch, run, job: job, cell: cell, db)
    }

    /// What waits within a scope, from the counters; only what not every worker may take is looked
    /// for.
    ///
    /// `all`: also cells of which nothing waits, but something runs.
    private func waitingCells(
        _ run: RunID,
        _ plan: Plan,
        within scope: ClaimScope,
        all: Bool,
        _ db: Database
    ) throws -> [WaitingCell] {
        let means = try meanSeconds(run, db)
        let choosy = try choosyCells(run, avoiding: scope.avoid, db)
        let waiting = try db.cachedStatement(
            sql: """
                SELECT job, cell, planned - done - leased, leased FROM cell_progress
                WHERE run = ? AND planned > done + CASE WHEN ? THEN 0 ELSE leased END
                """
        )
        return try Row.fetchAll(waiting, arguments: [run.text, all]).compactMap { row in
            let index: Int = row[0]
            let cell: Int = row[1]
            guard scope.has(job: index, cell: cell) else { return nil }
            let job = plan.jobs[index].job
            let special = choosy[[index, cell]]
            return WaitingCell(
                job: job.name,
                cell: job.cells[cell].id,
                count: row[2] - (special?.notTogether ?? 0),
                alone: special?.alone ?? 0,
                meanSeconds: means[index],
                leased: row[3]
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
