// Leases: granted, renewed, ended, taken back. A shard is cut here, at claim time.
import FarmCore
import Foundation
import GRDB

extension SQLiteLedger {
    package func hello(_ worker: WorkerID, now: Milliseconds) async throws {
        _ = try await write { db in
            try self.changeWorkers(
                """
                INSERT INTO worker (id, seen) VALUES (?, ?)
                ON CONFLICT (id) DO UPDATE SET seen = excluded.seen, lost = NULL
                """,
                [worker.text, now],
                db
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
            let trust = try self.noteClaim(of: worker, now: now, db)
            switch try self.granted(to: worker, request: request, db) {
            case .lease(let lease): return lease
            case .ended: return nil
            case nil: break
            }
            let host = try self.hostState(of: worker, now: now, db)
            for run in try self.runsByTurn(db) {
                let answer = try self.grant(
                    run,
                    to: worker,
                    trust,
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
                db.cachedStatement(
                    sql: """
                        SELECT epoch, run, job, cell, state FROM lease
                        WHERE worker = ? AND request = ?
                        """
                ),
                arguments: [worker.text, request]
            )
        else { return nil }
        guard row[4] == "live" else { return .ended }
        return .lease(
            try lease(row[0], RunID(row[1] as String), job: row[2], cell: row[3], db)
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
        _ trust: WorkerTrust,
        on host: HostState,
        request: String,
        warm: CellID?,
        now: Milliseconds,
        _ db: Database
    ) throws -> Grant {
        let plan = try plan(run, db)
        let scopes = try scopes(of: worker, trust, in: run, now: now, db).filter {
            $0.standing.obstacle == nil
        }
        // What it was decided by is gone before a lease changes it: a board is not copied.
        let decided = try step(run, plan, scopes, of: worker, on: host, warm: warm, db)
        guard let (step, scope) = decided else { return .nothing }
        if step == .wait { return .wait }
        guard case .lease(let choice) = step,
            let (job, cell) = try board(of: run, plan, db).position(of: choice)
        else { return .nothing }
        try db.executeKept(
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
        boards.add(leases: 1, of: worker, in: run, job: job, cell: cell)
        // The company stands in the text: bound, it would be compared with what the partial indexes
        // hold, and SQLite prepares such a statement again each time it is bound.
        let update = try db.cachedStatement(
            sql: """
                UPDATE test_case SET state = 1, epoch = ? WHERE id IN (
                  SELECT id FROM test_case WHERE run = ? AND state = 0 AND job = ? AND cell = ?
                  AND alone = \(choice.company.rawValue) AND (avoid IS NULL OR avoid <> ?)
                  ORDER BY cost DESC, id LIMIT ?)
                RETURNING id, test
                """
        )
        let tests = try Row.fetchAll(
            update,
            arguments: [epoch, run.text, job, cell, scope.avoid, choice.size]
        ).map { (id: $0[0] as Int64, test: TestID($0[1] as String)) }
        boards.leases.add(
            GrantedLease(
                run: run,
                worker: worker,
                job: job,
                cell: cell,
                testCases: Dictionary(tests.map { (ExactName(test: $0.test), $0.id) }) { $1 }
            ),
            epoch
        )
        try changeCounts(
            "leased = leased + ? WHERE run = ? AND job = ? AND cell = ?",
            [tests.count, run.text, job, cell],
            db
        )
        let inOrder = tests.sorted { $0.id < $1.id }.map(\.test)
        return .lease(Self.lease(epoch, run, plan, job: job, cell: cell, inOrder))
    }

    /// What a worker gets of a run, and within which of its scopes; nil: nothing.
    private func step(
        _ run: RunID,
        _ plan: Plan,
        _ scopes: [ClaimScope],
        of worker: WorkerID,
        on host: HostState,
        warm: CellID?,
        _ db: Database
    ) throws -> (QuietRules.Step, ClaimScope)? {
        guard !scopes.isEmpty else { return nil }
        let costs = try costs(of: run, plan, db)
        let board = try board(of: run, plan, db)
        let waiting = try scopes.map { scope in
            try waitingCells(board, run, within: scope, onlyOpen: costs != nil, db)
        }
        var question = ClaimQuestion(
            waiting: waiting.count == 1 ? waiting[0] : Array(waiting.joined()),
            leasesOfJob: board.leasesOfJob,
            workers: max(workersMin, scopes.map(\.workers).max() ?? 1),
            warm: warm,
            own: board.own(worker, on: warm, plan),
            exclusive: board.exclusive,
            meanSeconds: board.meanSeconds
        )
        func decide() -> ClaimChoice? {
            // Where costs are known, none is a choice: one more worker would end nothing sooner.
            if let costs { return costs.choose(question) }
            return ClaimRules.choose(question)
        }
        // In which scope the best cell of all is; the size of its lease is that scope's business.
        guard let place = scopes.count == 1 ? 0 : decide()?.place(in: waiting) else { return nil }
        question.waiting = waiting[place]
        question.workers = max(workersMin, scopes[place].workers)
        question.sizeMax = scopes[place].sizeMax
        let step = QuietRules.step(choice: decide(), waiting: question.waiting, host: host)
        return (step, scopes[place])
    }

    /// A live lease as it was granted, but for the tests that it has reported.
    private func lease(
        _ epoch: Int64,
        _ run: RunID,
        job: Int,
        cell: Int,
        _ db: Database
    ) throws -> Lease {
        let tests = try String.fetchAll(
            db.cachedStatement(
                sql: "SELECT test FROM test_case WHERE epoch = ? AND state = 1 ORDER BY id"
            ),
            arguments: [epoch]
        ).map { TestID($0) }
        return Self.lease(epoch, run, try plan(run, db), job: job, cell: cell, tests)
    }

    private static func lease(
        _ epoch: Int64,
        _ run: RunID,
        _ plan: Plan,
        job: Int,
        cell: Int,
        _ tests: [TestID]
    ) -> Lease {
        let planned = plan.jobs[job]
        var single = planned.job
        // A worker needs its own cell only; a matrix of hundreds would travel with every lease.
        single.cells = [planned.job.cells[cell]]
        let shard = Shard(
            run: run,
            mode: plan.mode,
            job: single,
            cell: planned.job.cells[cell],
            tests: tests,
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
            try db.executeKept(
                sql: """
                    UPDATE lease SET deadline = ?, running = ?
                    WHERE epoch = ? AND state = 'live'
                    """,
                arguments: [self.deadline(now), running?.text, token.epoch]
            )
            guard db.changesCount == 1 else { return .stale }
            try self.changeWorkers(
                """
                UPDATE worker SET seen = ?
                WHERE id = (SELECT worker FROM lease WHERE epoch = ?)
                """,
                [now, token.epoch],
                db
            )
            return .accepted
        }
    }

    package func release(_ token: LeaseToken, now: Milliseconds) async throws -> FencedAnswer {
        try await write { db in
            guard try self.end(token.epoch, as: "released", now: now, db) != nil else {
                return try self.state(of: token.epoch, db) == "released" ? .duplicate : .stale
            }
            try self.requeue(token.epoch, db)
            return .accepted
        }
    }
}
