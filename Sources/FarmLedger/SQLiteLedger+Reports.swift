// Reports: kept once, only under the current epoch, and turned into the next step of their test
// case by one pure rule.
import FarmCore
import Foundation
import GRDB

extension SQLiteLedger {
    package func report(
        _ token: LeaseToken,
        _ reports: [TestReport],
        now: Milliseconds
    ) async throws -> [FencedAnswer] {
        try await write { db in
            guard
                let lease = try Row.fetchOne(
                    db,
                    sql: "SELECT run, worker, job, cell, state FROM lease WHERE epoch = ?",
                    arguments: [token.epoch]
                )
            else { throw LedgerError.noLease(token.id) }
            return try reports.map { report in
                try self.keep(report, epoch: token.epoch, lease: lease, now: now, db)
            }
        }
    }

    private func keep(
        _ report: TestReport,
        epoch: Int64,
        lease: Row,
        now: Milliseconds,
        _ db: Database
    ) throws -> FencedAnswer {
        let run: String = lease["run"]
        let select = try db.cachedStatement(
            sql: """
                SELECT id, state, epoch, attempts FROM test_case
                WHERE run = ? AND job = ? AND cell = ? AND test = ?
                """
        )
        guard
            let row = try Row.fetchOne(
                select,
                arguments: [run, lease["job"] as Int, lease["cell"] as Int, report.test.text]
            )
        else { return .stale }
        let id: Int64 = row["id"]
        guard row["state"] == 1, row["epoch"] == epoch else {
            let known = try Bool.fetchOne(
                db,
                sql: "SELECT EXISTS (SELECT 1 FROM attempt WHERE test_case = ? AND epoch = ?)",
                arguments: [id, epoch]
            )
            // The same report again: the first answer was lost.
            return known == true ? .duplicate : .stale
        }
        let attempt = Attempt(
            worker: WorkerID(lease["worker"] as String),
            outcome: .reported(report)
        )
        try advance(
            id,
            RunID(run),
            job: lease["job"],
            with: attempt,
            isFirst: row["attempts"] == 0,
            epoch: epoch,
            now: now,
            db
        )
        return .accepted
    }

    func countLost(_ testCase: Int64, epoch: Int64, now: Milliseconds, _ db: Database) throws {
        guard
            let row = try Row.fetchOne(
                db,
                sql: "SELECT run, job, worker FROM lease WHERE epoch = ?",
                arguments: [epoch]
            )
        else { return }
        let attempt = Attempt(worker: WorkerID(row["worker"] as String), outcome: .workerLost)
        try advance(
            testCase,
            RunID(row["run"] as String),
            job: row["job"],
            with: attempt,
            isFirst: false,
            epoch: epoch,
            now: now,
            db
        )
    }

    /// Adds an attempt and does what the rule says follows from all of them.
    private func advance(
        _ testCase: Int64,
        _ run: RunID,
        job: Int,
        with attempt: Attempt,
        isFirst: Bool,
        epoch: Int64,
        now: Milliseconds,
        _ db: Database
    ) throws {
        let attempts = isFirst ? [attempt] : try self.attempts(of: testCase, db) + [attempt]
        let insert = try db.cachedStatement(
            sql: """
                INSERT INTO attempt (test_case, epoch, worker, outcome, ended)
                VALUES (?, ?, ?, ?, ?)
                """
        )
        try insert.execute(arguments: [
            testCase, epoch, attempt.worker.text, try Self.encode(attempt.outcome), now,
        ])
        let plan = try plan(run, db)
        let step = AttemptRules.step(after: attempts, job: plan.jobs[job].job, mode: plan.mode)
        switch step {
        case .final(let verdict, let note):
            let finish = try db.cachedStatement(
                sql: """
                    UPDATE test_case SET state = 2, epoch = NULL, verdict = ?, note = ?,
                      attempts = attempts + 1 WHERE id = ?
                    """
            )
            try finish.execute(arguments: [verdict.rawValue, note, testCase])
        case .again(let alone):
            try wait(testCase, alone: alone, avoid: attempt.worker, db)
        case .confirm:
            try wait(testCase, alone: false, avoid: attempt.worker, db)
        }
    }

    /// Oldest first.
    private func attempts(of testCase: Int64, _ db: Database) throws -> [Attempt] {
        let earlier = try db.cachedStatement(
            sql: "SELECT worker, outcome FROM attempt WHERE test_case = ? ORDER BY epoch"
        )
        return try Row.fetchAll(earlier, arguments: [testCase]).map { row in
            Attempt(
                worker: WorkerID(row["worker"] as String),
                outcome: try Self.decode(Attempt.Outcome.self, row["outcome"])
            )
        }
    }

    private func wait(
        _ testCase: Int64,
        alone: Bool,
        avoid worker: WorkerID,
        _ db: Database
    ) throws {
        try db.execute(
            sql: """
                UPDATE test_case SET state = 0, epoch = NULL, alone = ?, avoid = ?,
                  attempts = attempts + 1 WHERE id = ?
                """,
            arguments: [alone ? 1 : 0, worker.text, testCase]
        )
    }

    package func complete(
        _ token: LeaseToken,
        evidence: LeaseEvidence,
        now: Milliseconds
    ) async throws -> FencedAnswer {
        try await write { db in
            guard try self.end(token.epoch, as: "done", now: now, db) else {
                let state = try String.fetchOne(
                    db,
                    sql: "SELECT state FROM lease WHERE epoch = ?",
                    arguments: [token.epoch]
                )
                return state == "done" ? .duplicate : .stale
            }
            try db.execute(
                sql: "UPDATE lease SET evidence = ? WHERE epoch = ?",
                arguments: [try Self.encode(evidence), token.epoch]
            )
            // A worker reports every test of its lease; one it left out counts as lost, so that a
            // lying worker cannot keep a run open for ever.
            let left = try Int64.fetchAll(
                db,
                sql: "SELECT id FROM test_case WHERE epoch = ? AND state = 1",
                arguments: [token.epoch]
            )
            for testCase in left {
                try self.countLost(testCase, epoch: token.epoch, now: now, db)
            }
            return .accepted
        }
    }
}
