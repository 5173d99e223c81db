// Runs: opened with all test cases before the first lease, closed with their result.
import FarmCore
import Foundation
import GRDB

extension SQLiteLedger {
    package func openRun(_ run: NewRun, now: Milliseconds) async throws -> RunID {
        try await write { db in
            if let known = try String.fetchOne(
                db.cachedStatement(sql: "SELECT id FROM run WHERE key = ?"),
                arguments: [Self.key(run.key, of: run.facts.pipeline)]
            ) {
                return RunID(known)
            }
            try self.insert(run, now: now, db)
            return RunID(run.facts.id)
        }
    }

    /// Returns the text under which the ledger keeps a run's key: teams may use the same keys.
    ///
    /// Neither a key nor a pipeline's name has a line break.
    static func key(_ key: String, of pipeline: String) -> String { pipeline + "\n" + key }

    private func insert(_ run: NewRun, now: Milliseconds, _ db: Database) throws {
        let id = run.facts.id
        try db.executeKept(
            sql: """
                INSERT INTO run
                  (id, key, plan_digest, plan, facts, state, started, learned, priority, pipeline,
                   branch)
                VALUES (?, ?, ?, ?, ?, 'running', ?, ?, ?, ?, ?)
                """,
            arguments: [
                id, Self.key(run.key, of: run.facts.pipeline), run.facts.planDigest,
                try Self.encode(run.plan), try Self.encode(run.facts), now,
                run.costs == nil ? 0 : 1, run.priority, run.facts.pipeline, run.facts.branch,
            ]
        )
        for (job, planned) in run.plan.jobs.enumerated() {
            for cell in planned.job.cells.indices {
                let tests = run.plan.tests(job: job, cell: cell)
                guard !tests.isEmpty else { continue }
                let costs = run.costs?.cells[job][cell]
                try db.executeKept(
                    sql: """
                        INSERT INTO cell_progress (run, job, cell, planned, start, launch)
                        VALUES (?, ?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        id, job, cell, tests.count, costs?.start ?? 0, costs?.launch ?? 0,
                    ]
                )
                // The rows have the plan's order: among equal costs the lower id comes first.
                let insert = try db.cachedStatement(
                    sql: """
                        INSERT INTO test_case (run, job, cell, test, cost) VALUES (?, ?, ?, ?, ?)
                        """
                )
                for (place, test) in tests.enumerated() {
                    try insert.execute(
                        arguments: [id, job, cell, test.text, costs?.tests[place] ?? 0]
                    )
                }
            }
        }
    }

    package func run(_ id: RunID) async throws -> RunRecord {
        try await read { db in
            guard
                let row = try Row.fetchOne(
                    db.cachedStatement(
                        sql: "SELECT facts, state, started FROM run WHERE id = ?"
                    ),
                    arguments: [id.text]
                )
            else { throw LedgerError.noRun(id) }
            guard let state = RunState(rawValue: row["state"]) else {
                throw LedgerError.damaged("state of run \(id)")
            }
            return RunRecord(
                id: id,
                facts: try Self.decode(RunFacts.self, row["facts"]),
                plan: try self.plan(id, db),
                state: state,
                startedAt: row["started"]
            )
        }
    }

    package func abandonedRuns(
        since: Milliseconds,
        now: Milliseconds
    ) async throws -> [RunID] {
        try await write { db in
            let runs = try String.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT id FROM run WHERE state = 'running' AND started < ?1
                          AND NOT EXISTS (
                            SELECT 1 FROM lease WHERE run = run.id
                              AND (state = 'live' OR granted >= ?1 OR ended >= ?1))
                        """
                ),
                arguments: [since]
            ).map { RunID($0) }
            let seconds = Double(now - since) / 1000
            for run in runs {
                try self.note(.abandoned(seconds: seconds), about: "", of: run, now: now, db)
            }
            return runs
        }
    }

    package func openRun(planDigest: String) async throws -> RunID? {
        try await read { db in
            try String.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT id FROM run WHERE plan_digest = ? AND state = 'running'
                        ORDER BY started DESC LIMIT 1
                        """
                ),
                arguments: [planDigest]
            ).map { RunID($0) }
        }
    }

    /// Closes a run and stores its result, without the results of tests: they follow from the
    /// attempts.
    package func close(_ run: RunID, judged: JudgedRun, now: Milliseconds) async throws {
        var frame = judged
        frame.summary.tests = []
        let bytes = try Self.encode(frame)
        try await write { db in
            try db.executeKept(
                sql: """
                    UPDATE run SET state = ?, ended = ?, judged = ?
                    WHERE id = ? AND state = 'running'
                    """,
                arguments: [judged.summary.state.rawValue, now, bytes, run.text]
            )
            guard db.changesCount == 1 else { return }
            try self.endLeases(of: run, now: now, db)
        }
    }

    /// Ends the live leases of a closed run: its result stands, and later reports do not count.
    private func endLeases(of run: RunID, now: Milliseconds, _ db: Database) throws {
        let epochs = try Int64.fetchAll(
            db.cachedStatement(sql: "SELECT epoch FROM lease WHERE run = ? AND state = 'live'"),
            arguments: [run.text]
        )
        for epoch in epochs where try end(epoch, as: "interrupted", now: now, db) != nil {
            try requeue(epoch, db)
        }
    }

    package func judged(_ run: RunID) async throws -> JudgedRun? {
        try await read { db in
            guard
                let row = try Row.fetchOne(
                    db.cachedStatement(sql: "SELECT judged, started FROM run WHERE id = ?"),
                    arguments: [run.text]
                ), let bytes = row["judged"] as Data?
            else { return nil }
            var judged = try Self.decode(JudgedRun.self, bytes)
            do {
                let plan = try self.plan(run, db)
                judged.summary.tests = RunJudge.rows(
                    of: try self.tests(run, plan, db) + plan.inheritedTests,
                    plan: plan,
                    raised: judged.raised,
                    startedAt: row["started"],
                    logs: judged.logPaths ?? [:],
                    red: judged.red
                )
            } catch LedgerError.damaged where judged.summary.state == .unjudgeable {
                // The run is unjudgeable because these rows cannot be read.
            }
            return judged
        }
    }

    /// Returns a run's plan, or `nil` if the run has ended and its plan cannot be read.
    private func planUnlessClosed(
        _ run: RunID,
        _ state: RunState,
        _ db: Database
    ) throws -> Plan? {
        do {
            return try plan(run, db)
        } catch LedgerError.damaged where state != .running {
            return nil
        }
    }

    package func progress(_ run: RunID, now: Milliseconds) async throws -> RunProgress {
        try await read { db in
            guard
                let text = try String.fetchOne(
                    db.cachedStatement(sql: "SELECT state FROM run WHERE id = ?"),
                    arguments: [run.text]
                ),
                let state = RunState(rawValue: text)
            else { throw LedgerError.noRun(run) }
            // A run that was closed because of its plan has only its state to show.
            guard let plan = try self.planUnlessClosed(run, state, db) else {
                return RunProgress(state: state, cells: [], workers: 0)
            }
            let stuck = state == .running ? try self.unplaceable(run, now: now, db) : nil
            let reached = try self.reached(in: run, plan, db)
            let rows = try Row.fetchAll(
                db.cachedStatement(
                    sql: "SELECT job, cell, planned, done, bad FROM cell_progress WHERE run = ?"
                ),
                arguments: [run.text]
            )
            let cells = try rows.map { row in
                let index: Int = row["job"]
                let cell: Int = row["cell"]
                let planned: Int = row["planned"]
                let done: Int = row["done"]
                let place = try Self.place(in: plan, job: index, cell: cell)
                let key = CellKey(job: place.job.name, cell: place.cell.id)
                return CellProgress(
                    job: place.job.name,
                    cell: place.cell.id,
                    planned: planned,
                    done: done,
                    bad: row["bad"],
                    reached: reached[key].map { min($0, planned - done) },
                    unplaceable: done < planned ? stuck?.reason(job: index, cell: cell) : nil
                )
            }
            let open = rows.filter { ($0["done"] as Int) < ($0["planned"] as Int) }
                .map { row in (job: row["job"] as Int, cell: row["cell"] as Int) }
            let drawing =
                state == .running
                ? try self.drawingProblems(of: run, open: open, now: now, db) : []
            return RunProgress(
                state: state,
                cells: cells,
                workers: try self.ableWorkers(for: run, plan, now: now, db),
                notes: try self.incidents(run, db) + Problem.unplaceable(cells) + drawing
                    + self.notes(of: run, now: now, db)
            )
        }
    }

    /// Returns the number of test cases without a report that live leases have come to, by cell.
    private func reached(
        in run: RunID,
        _ plan: Plan,
        _ db: Database
    ) throws -> [CellKey: Int] {
        let select = try db.cachedStatement(
            sql: """
                SELECT job, cell, sum(reached) FROM lease INDEXED BY lease_of_run
                WHERE run = ? AND state = 'live' AND reached > 0 GROUP BY job, cell
                """
        )
        return try Row.fetchAll(select, arguments: [run.text]).reduce(into: [:]) { known, row in
            let place = try Self.place(in: plan, job: row[0], cell: row[1])
            known[CellKey(job: place.job.name, cell: place.cell.id)] = row[2]
        }
    }

    package func leases(_ run: RunID) async throws -> [LeaseRecord] {
        try await read { db in
            let plan = try self.plan(run, db)
            return try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT epoch, worker, job, cell, state, granted, ended FROM lease
                        WHERE run = ? ORDER BY epoch
                        """
                ),
                arguments: [run.text]
            ).map { row in
                let place = try Self.place(in: plan, job: row["job"], cell: row["cell"])
                return LeaseRecord(
                    epoch: row["epoch"],
                    worker: WorkerID(row["worker"] as String),
                    job: place.job.name,
                    cell: place.cell.id,
                    state: row["state"],
                    granted: row["granted"],
                    ended: row["ended"]
                )
            }
        }
    }
}

extension SQLiteLedger {
    package func openRuns() async throws -> [RunID] {
        try await read { db in
            try String.fetchAll(
                db.cachedStatement(
                    sql: "SELECT id FROM run WHERE state = 'running' ORDER BY started"
                )
            ).map { RunID($0) }
        }
    }

    package func finishedRuns() async throws -> [RunID] {
        try await read { db in
            try String.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT id FROM run WHERE state = 'running'
                        AND (stopped IS NOT NULL OR NOT EXISTS (
                          SELECT 1 FROM cell_progress c WHERE c.run = run.id AND c.done < c.planned))
                        AND NOT EXISTS (
                          SELECT 1 FROM lease WHERE lease.run = run.id AND lease.state = 'live')
                        """
                )
            ).map { RunID($0) }
        }
    }
}
