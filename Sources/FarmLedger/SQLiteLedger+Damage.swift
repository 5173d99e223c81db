// The check of open runs at a coordinator's start. An older program may have accepted rows that no
// run has, and a disk may have lost some. After this check no row may cause a trap.
import FarmCore
import Foundation
import GRDB

extension SQLiteLedger {
    package func damagedRuns() async throws -> [DamagedRun] {
        try await read { db in
            let rows = try Row.fetchAll(
                db,
                sql: "SELECT id, facts, started FROM run WHERE state = 'running'"
            )
            return try rows.compactMap { row in
                let id = RunID(row["id"] as String)
                let facts = try? Self.decode(RunFacts.self, row["facts"])
                guard let damage = try self.damage(of: id, facts, db) else { return nil }
                return DamagedRun(
                    id: id,
                    facts: facts ?? .unknown(id),
                    startedAt: row["started"],
                    reason: Problem(damage)
                )
            }
        }
    }

    /// Returns the damage of a run, or `nil` if all its rows can be used.
    private func damage(
        of run: RunID,
        _ facts: RunFacts?,
        _ db: Database
    ) throws -> LedgerError? {
        guard facts != nil else { return .damaged("the facts of run \(run)") }
        do {
            let plan = try plan(run, db)
            let places = try Row.fetchAll(
                db,
                sql: "SELECT job, cell FROM cell_progress WHERE run = ?",
                arguments: [run.text]
            )
            for row in places { _ = try Self.place(in: plan, job: row[0], cell: row[1]) }
        } catch let error as LedgerError {
            guard case .damaged = error else { throw error }
            return error
        }
        let test = try String.fetchOne(
            db,
            sql: """
                SELECT t.test FROM test_case t JOIN attempt a ON a.test_case = t.id
                WHERE t.run = ? AND NOT (a.started BETWEEN 0 AND ? AND a.seconds BETWEEN 0 AND ?)
                LIMIT 1
                """,
            arguments: [
                run.text, FarmLimits.clockMillisecondsMax, FarmLimits.reportSecondsMax,
            ]
        )
        return test.map { .damaged("a report of \($0) whose times are none") }
    }
}
