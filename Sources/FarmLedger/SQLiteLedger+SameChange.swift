// The same change or time-out of a test in several cells (`TestReport.changeName`).
// `test_case.change` holds the name for the last report, or null if the report showed no such
// change.
import FarmCore
import GRDB

extension SQLiteLedger {
    /// Sets in `context` whether another test case's verdict confirms the report's change; returns
    /// the change's name, or `nil` if the report shows no change.
    func noteChange(
        of attempt: Attempt,
        _ lease: LeaseFacts,
        _ context: inout AttemptContext,
        _ db: Database
    ) throws -> String? {
        guard lease.rules.repeats <= 1, let report = attempt.report,
            let name = report.changeName(job: lease.planned, mode: lease.mode)
        else { return nil }
        let stands = try db.cachedStatement(
            sql: """
                SELECT EXISTS (SELECT 1 FROM test_case WHERE run = ? AND change = ?
                  AND verdict IN ('changed', 'errored') AND note = '')
                """
        )
        context.standsElsewhere =
            try Bool.fetchOne(stands, arguments: [lease.run.text, name]) == true
        return name
    }

    /// Returns whether no other test case of the run has the change; true for `nil`.
    func isFirst(_ change: String?, of testCase: Int64, _ run: RunID, _ db: Database) throws -> Bool
    {
        guard let change else { return true }
        let others = try db.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM test_case WHERE run = ? AND change = ? AND id <> ?)"
        )
        return try Bool.fetchOne(others, arguments: [run.text, change, testCase]) == false
    }

    /// Gives `verdict` to all waiting test cases of a run with a change that is confirmed in one
    /// cell.
    func settle(_ change: String, as verdict: Verdict, of run: RunID, _ db: Database) throws {
        let update = try db.cachedStatement(
            sql: """
                UPDATE test_case SET state = 2, verdict = ?, note = ''
                WHERE run = ? AND change = ? AND state = 0 RETURNING job, cell
                """
        )
        for row in try Row.fetchAll(update, arguments: [verdict.rawValue, run.text, change]) {
            try changeCounts(
                "done = done + 1, bad = bad + 1 WHERE run = ? AND job = ? AND cell = ?",
                [run.text, row[0] as Int, row[1] as Int],
                db
            )
        }
    }
}
