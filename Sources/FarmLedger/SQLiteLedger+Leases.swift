// The life of a lease: its grant, where its shard is cut, renewal and release.
import FarmCore
import Foundation
import GRDB

/// A worker's request for a lease.
struct Claim {
    let worker: WorkerID
    /// The id of the claim; a repeated claim has the same id.
    let request: String
    let warm: CellID?
    /// The pipelines whose tests the worker may run.
    let reach: PipelineReach
    let now: Milliseconds
    /// Whether other teams use the workers, too.
    var isShared = false
}

/// The values of a lease to be inserted.
struct NewLease {
    let run: RunID
    let claim: Claim
    /// The position of the lease's job in the plan; `cell` is the position of its cell in the job.
    let job: Int
    let cell: Int
    var isolated = false
}

extension SQLiteLedger {
    package func hello(_ worker: WorkerID, now: Milliseconds) async throws {
        try await write { db in
            try db.executeKept(
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
        reach: PipelineReach,
        now: Milliseconds
    ) async throws -> Lease? {
        let claim = Claim(worker: worker, request: request, warm: warm, reach: reach, now: now)
        return try await write { db in
            try self.noteClaim(claim, db)
            let health = try self.health(of: worker, db)
            switch try self.granted(to: worker, request: request, db) {
            case .lease(let lease): return lease
            case .ended: return nil
            case nil: break
            }
            // A worker has one lease at a time: this is a late copy of an earlier claim.
            if try self.hasLease(worker, db) { return nil }
            let host = try self.hostState(of: worker, now: now, db)
            let turns = try self.runsByTurn(now: now, db)
            var claim = claim
            claim.isShared = turns.isShared
            for run in turns.runs {
                switch try self.grant(run, to: claim, health, on: host, db) {
                case .lease(let lease):
                    self.turns.served(run)
                    return lease
                case .wait:
                    try self.awaitIsolation(worker, now: now, db)
                    return nil
                case .nothing: continue
                }
            }
            return nil
        }
    }

    /// The result of an earlier claim with the same request.
    private enum Granted {
        case lease(Lease)
        /// The claim's lease has ended; a late copy of the claim gets no second lease.
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

    private func hasLease(_ worker: WorkerID, _ db: Database) throws -> Bool {
        let live = try db.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM lease WHERE worker = ? AND state = 'live')"
        )
        return try Bool.fetchOne(live, arguments: [worker.text]) == true
    }

    private enum Grant {
        case lease(Lease)
        case wait
        case nothing
    }

    private func grant(
        _ run: RunID,
        to claim: Claim,
        _ health: WorkerHealth,
        on host: HostState,
        _ db: Database
    ) throws -> Grant {
        let plan = try plan(run, db)
        let scopes = try scopes(of: claim.worker, health, in: run, now: claim.now, db).filter {
            $0.standing.obstacle == nil
        }
        let decided = try step(run, plan, scopes, of: claim, on: host, db)
        guard let (step, scope) = decided else { return .nothing }
        if step == .wait { return .wait }
        guard case .lease(let choice) = step,
            let (job, cell) = try known(run, db).board.position(of: choice)
        else { return .nothing }
        let new = NewLease(
            run: run,
            claim: claim,
            job: job,
            cell: cell,
            isolated: choice.company == .isolated
        )
        return .lease(try insert(new, plan, choice, avoiding: scope.avoid, db))
    }

    /// Puts the chosen test cases under a lease, and returns their ids.
    private func take(
        _ choice: ClaimChoice,
        of lease: NewLease,
        avoiding worker: String,
        under epoch: Int64,
        _ db: Database
    ) throws -> [TestID] {
        // The company is part of the SQL text. As a bound value it would be compared with the
        // condition of a partial index, and SQLite then prepares the statement again with each
        // binding.
        let isReady = choice.company == .isolated ? "AND \(Self.isFirstWithChange)" : ""
        let update = try db.cachedStatement(
            sql: """
                UPDATE test_case SET state = 1, epoch = ? WHERE id IN (
                  SELECT id FROM test_case t WHERE run = ? AND state = 0 AND job = ? AND cell = ?
                  AND alone = \(choice.company.rawValue) AND (avoid IS NULL OR avoid <> ?) \(isReady)
                  ORDER BY cost DESC, id LIMIT ?)
                RETURNING id, test
                """
        )
        let tests = try Row.fetchAll(
            update,
            arguments: [epoch, lease.run.text, lease.job, lease.cell, worker, choice.size]
        ).map { (id: $0[0] as Int64, test: TestID($0[1] as String)) }
        try changeCounts(
            "leased = leased + ? WHERE run = ? AND job = ? AND cell = ?",
            [tests.count, lease.run.text, lease.job, lease.cell],
            db
        )
        return tests.sorted { $0.id < $1.id }.map(\.test)
    }

    /// Inserts a lease with the chosen test cases, and returns it.
    private func insert(
        _ new: NewLease,
        _ plan: Plan,
        _ choice: ClaimChoice,
        avoiding worker: String,
        _ db: Database
    ) throws -> Lease {
        try db.executeKept(
            sql: """
                INSERT INTO lease
                  (run, worker, request, job, cell, state, granted, deadline, isolated)
                VALUES (?, ?, ?, ?, ?, 'live', ?, ?, ?)
                """,
            arguments: [
                new.run.text, new.claim.worker.text, new.claim.request, new.job, new.cell,
                new.claim.now, deadline(new.claim.now), new.isolated,
            ]
        )
        let epoch = db.lastInsertedRowID
        let tests = try take(choice, of: new, avoiding: worker, under: epoch, db)
        return Self.lease(epoch, new.run, plan, job: new.job, cell: new.cell, tests)
    }

    /// Returns the next step for a worker in a run with the cells that it chose from, or `nil` if
    /// the run has no work for the worker.
    private func step(
        _ run: RunID,
        _ plan: Plan,
        _ scopes: [ClaimScope],
        of claim: Claim,
        on host: HostState,
        _ db: Database
    ) throws -> (IsolationRules.Step, ClaimScope)? {
        guard !scopes.isEmpty else { return nil }
        let board = try board(of: run, db)
        let stuck = try stuckWorkers(in: run, plan, db)
        let waiting = try scopes.map { scope in
            let cells = try waitingCells(board, run, within: scope, db)
            return stuck.isEmpty ? cells : cells.map { $0.without(stuck) }
        }
        var question = ClaimQuestion(
            waiting: waiting.count == 1 ? waiting[0] : Array(waiting.joined()),
            leasesOfJob: board.leasesOfJob,
            costs: try known(run, db).costs ?? .guessed(meanSeconds: board.meanSeconds),
            workers: max(workersMin, scopes.map(\.workers).max() ?? 1),
            warm: claim.warm,
            exclusive: board.exclusive,
            timeouts: board.timeouts
        )
        // Finds the scope of the best cell; the size of the lease follows from that scope.
        let place =
            scopes.count == 1 ? 0 : ClaimRules.choose(question)?.place(in: waiting)
        guard let place else { return nil }
        question.waiting = waiting[place]
        question.workers = max(workersMin, scopes[place].workers)
        question.sizeMax = scopes[place].sizeMax(planned: plan.testCount)
        question.isShared = claim.isShared
        let step = IsolationRules.step(
            choice: ClaimRules.choose(question),
            waiting: question.waiting,
            host: host
        )
        return (step, scopes[place])
    }

    /// Returns a live lease as it was granted, without the tests that its worker has reported.
    private func lease(
        _ epoch: Int64,
        _ run: RunID,
        job: Int,
        cell: Int,
        _ db: Database
    ) throws -> Lease {
        let tests = try String.fetchAll(
            db.cachedStatement(
                sql: "SELECT test FROM test_case WHERE epoch = ? AND state = 1"
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
        // A worker needs its own cell only; each lease would carry a matrix of hundreds.
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
        started: [TestID],
        reached: Int,
        now: Milliseconds
    ) async throws -> FencedAnswer {
        try await write { db in
            try db.executeKept(
                sql: """
                    UPDATE lease SET deadline = ?, running = ?, reached = ?
                    WHERE epoch = ? AND state = 'live'
                    """,
                arguments: [self.deadline(now), running?.text, reached, token.epoch]
            )
            guard db.changesCount == 1 else { return .stale }
            try self.note(started, under: token.epoch, now: now, db)
            try db.executeKept(
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
            guard try self.end(token.epoch, as: "released", now: now, db) != nil else {
                return try self.state(of: token.epoch, db) == "released" ? .duplicate : .stale
            }
            try self.requeue(token.epoch, db)
            return .accepted
        }
    }
}
