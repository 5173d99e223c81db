// Runs: opened with all their test cases before anything is dispatched, closed with their result.
import FarmCore
import Foundation
import GRDB

extension SQLiteLedger {
    package func openRun(_ run: NewRun, now: Milliseconds) async throws -> RunID {
        try await write { db in
            if let known = try String.fetchOne(
                db,
                sql: "SELECT id FROM run WHERE key = ?",
                arguments: [run.key]
            ) {
                return RunID(known)
            }
            let id = RunID(run.facts.id)
            try db.execute(
                sql: """
                    INSERT INTO run (id, key, plan_digest, plan, facts, state, started)
                    VALUES (?, ?, ?, ?, ?, 'running', ?)
                    """,
                arguments: [
                    id.text, run.key, run.facts.planDigest, try Self.encode(run.plan),
                    try Self.encode(run.facts), now,
                ]
            )
            let insert = try db.makeStatement(
                sql: "INSERT INTO test_case (run, job, cell, test) VALUES (?, ?, ?, ?)"
            )
            for (job, planned) in run.plan.jobs.enumerated() {
                for cell in planned.job.cells.indices {
                    for test in planned.tests {
                        try insert.execute(arguments: [id.text, job, cell, test.text])
                    }
                }
            }
            return id
        }
    }

    package func run(_ id: RunID) async throws -> RunRecord {
        try await read { db in
            guard
                let row = try Row.fetchOne(
                    db,
                    sql: "SELECT key, facts, state, started FROM run WHERE id = ?",
                    arguments: [id.text]
                )
            else { throw LedgerError.noRun(id) }
            guard let state = RunState(rawValue: row["state"]) else {
                throw LedgerError.damaged("state of run \(id)")
            }
            return RunRecord(
                id: id,
                key: row["key"],
                facts: try Self.decode(RunFacts.self, row["facts"]),
                plan: try self.plan(id, db),
                state: state,
                startedAt: row["started"]
            )
        }
    }

    package func openRun(planDigest: String) async throws -> RunID? {
        try await read { db in
            try String.fetchOne(
                db,
                sql: """
                    SELECT id FROM run WHERE plan_digest = ? AND state = 'running'
                    ORDER BY started DESC LIMIT 1
                    """,
                arguments: [planDigest]
            ).map { RunID($0) }
        }
    }

    package func close(_ run: RunID, judged: JudgedRun, now: Milliseconds) async throws {
        try await write { db in
            try db.execute(
                sql: """
                    UPDATE run SET state = ?, ended = ?, judged = ?
                    WHERE id = ? AND state = 'running'
                    """,
                arguments: [
                    judged.summary.state.rawValue, now, try Self.encode(judged), run.text,
                ]
            )
        }
    }

    package func judged(_ run: RunID) async throws -> JudgedRun? {
        try await judgedJSON(run).map { try Self.decode(JudgedRun.self, $0) }
    }

    package func judgedJSON(_ run: RunID) async throws -> Data? {
        try await read { db in
            try Data.fetchOne(
                db,
                sql: "SELECT judged FROM run WHERE id = ?",
                arguments: [run.text]
            )
        }
    }

    package func progress(_ run: RunID, now: Milliseconds) async throws -> RunProgress {
        try await read { db in
            guard
                let text = try String.fetchOne(
                    db,
                    sql: "SELECT state FROM run WHERE id = ?",
                    arguments: [run.text]
                ),
                let state = RunState(rawValue: text)
            else { throw LedgerError.noRun(run) }
            let plan = try self.plan(run, db)
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT job, cell, count(*) AS planned, total(state = 2) AS done,
                      total(state = 2 AND verdict NOT IN ('passed', 'flaky')) AS bad
                    FROM test_case WHERE run = ? GROUP BY job, cell
                    """,
                arguments: [run.text]
            )
            let cells = rows.map { row in
                let job = plan.jobs[row["job"] as Int].job
                return CellProgress(
                    job: job.name,
                    cell: job.cells[row["cell"] as Int].id,
                    planned: row["planned"],
                    done: Int(row["done"] as Double),
                    bad: Int(row["bad"] as Double)
                )
            }
            return RunProgress(
                state: state,
                cells: cells,
                workers: try self.liveWorkers(db, now: now)
            )
        }
    }

    package func evidence(
        _ run: RunID
    ) async throws -> (tests: [TestEvidence], leases: [LeaseEvidence]) {
        try await read { db in
            let plan = try self.plan(run, db)
            var attempts: [Int64: [Attempt]] = [:]
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT a.test_case, a.worker, a.outcome FROM attempt a
                    JOIN test_case t ON t.id = a.test_case WHERE t.run = ?
                    ORDER BY a.test_case, a.epoch
                    """,
                arguments: [run.text]
            )
            while let row = try rows.next() {
                let outcome = try Self.decode(Attempt.Outcome.self, row["outcome"])
                attempts[row["test_case"], default: []].append(
                    Attempt(worker: WorkerID(row["worker"] as String), outcome: outcome)
                )
            }
            let cases = try Row.fetchAll(
                db,
                sql: """
                    SELECT id, job, cell, test, verdict, note FROM test_case
                    WHERE run = ? ORDER BY id
                    """,
                arguments: [run.text]
            )
            let tests = cases.map { row in
                let job = plan.jobs[row["job"] as Int].job
                return TestEvidence(
                    key: TestKey(
                        job: job.name,
                        cell: job.cells[row["cell"] as Int].id,
                        test: TestID(row["test"] as String)
                    ),
                    verdict: (row["verdict"] as String?).flatMap { Verdict(rawValue: $0) },
                    note: row["note"],
                    attempts: attempts[row["id"]] ?? []
                )
            }
            let ended = try Data.fetchAll(
                db,
                sql: """
                    SELECT evidence FROM lease WHERE run = ? AND evidence IS NOT NULL
                    ORDER BY ended, epoch
                    """,
                arguments: [run.text]
            )
            return (tests, try ended.map { try Self.decode(LeaseEvidence.self, $0) })
        }
    }

    package func leases(_ run: RunID) async throws -> [LeaseRecord] {
        try await read { db in
            let plan = try self.plan(run, db)
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT epoch, worker, job, cell, state, granted, ended FROM lease
                    WHERE run = ? ORDER BY epoch
                    """,
                arguments: [run.text]
            ).map { row in
                let job = plan.jobs[row["job"] as Int].job
                return LeaseRecord(
                    epoch: row["epoch"],
                    worker: WorkerID(row["worker"] as String),
                    job: job.name,
                    cell: job.cells[row["cell"] as Int].id,
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
                db,
                sql: "SELECT id FROM run WHERE state = 'running' ORDER BY started"
            ).map { RunID($0) }
        }
    }

    package func finishedRuns() async throws -> [RunID] {
        try await read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT id FROM run WHERE state = 'running'
                    AND NOT EXISTS (SELECT 1 FROM test_case WHERE test_case.run = run.id AND test_case.state < 2)
                    AND NOT EXISTS (SELECT 1 FROM lease WHERE lease.run = run.id AND lease.state = 'live')
                    """
            ).map { RunID($0) }
        }
    }
}
