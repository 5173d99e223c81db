// What a claim is decided by: what waits and what runs, from counters and from indexes that are
// nearly always empty. No claim reads the rows of the test cases that wait.
import FarmCore
import GRDB

extension SQLiteLedger {
    /// What waits within a scope, from the counters; only what not every worker may take is looked
    /// for.
    ///
    /// `all`: also cells of which nothing waits, but something runs.
    func waitingCells(
        _ run: RunID,
        _ plan: Plan,
        within scope: ClaimScope,
        all: Bool,
        _ db: Database
    ) throws -> [WaitingCell] {
        let means = try meanSeconds(run, db)
        let choosy = try choosyCells(run, avoiding: scope.avoid, db)
        let quiet = try quietCells(run, db)
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
            let silent = quiet[[index, cell]] ?? 0
            return WaitingCell(
                job: job.name,
                cell: job.cells[cell].id,
                count: row[2] - (special?.notTogether ?? 0) - silent,
                alone: special?.alone ?? 0,
                quiet: silent,
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
                FROM test_case INDEXED BY test_case_choosy
                WHERE run = ? AND state = 0 AND (alone = 1 OR avoid IS NOT NULL)
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

    func activeLeases(
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
}
