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
            let host = try self.hostState(of: worker, now: now, db)
            for run in try self.runsByTurn(db) {
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
        let scopes = try scopes(of: worker, trust, in: run, now: now, db).filter {
            $0.standing.obstacle == nil
        }
        guard !scopes.isEmpty else { return .nothing }
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
        guard let place = scopes.count == 1 ? 0 : decide()?.place(in: waiting) else {
            return .nothing
        }
        question.waiting = waiting[place]
        question.workers = scopes[place].workers
        question.sizeMax = scopes[place].sizeMax
        let step = QuietRules.step(choice: decide(), waiting: question.waiting, host: host)
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
                  AND alone = ? AND (avoid IS NULL OR avoid <> ?)
                  ORDER BY cost DESC, id LIMIT ?)
                """,
            arguments: [
                epoch, run.text, job, cell, choice.company.rawValue, scopes[place].avoid,
                choice.size,
            ]
        )
        try count(leased: db.changesCount, under: epoch, db)
        return .lease(try lease(epoch, run, job: job, cell: cell, db))
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
