// What a run's test cases are expected to cost: written down with the run, read once per process.
import FarmCore
import GRDB
import Synchronization

/// Costs never change after the run is opened, so a reading of them stays true.
final class CostsAtHand: Sendable {
    /// Runs whose costs are kept; 200,000 test cases take 5 MB.
    private static let runsMax = 16

    private let runs = Mutex<[RunID: RunCosts?]>([:])

    /// Nil where the run came without costs.
    func costs(of run: RunID, _ read: () throws -> RunCosts?) rethrows -> RunCosts? {
        if let known = runs.withLock({ $0[run] }) { return known }
        let costs = try read()
        runs.withLock { runs in
            if runs.count >= Self.runsMax { runs = [:] }
            runs[run] = .some(costs)
        }
        return costs
    }
}

extension SQLiteLedger {
    /// Nil where the run came without costs: claims then go by counts.
    func costs(of run: RunID, _ plan: Plan, _ db: Database) throws -> RunCosts? {
        try costsAtHand.costs(of: run) {
            let isLearned = try Bool.fetchOne(
                db.cachedStatement(sql: "SELECT learned FROM run WHERE id = ?"),
                arguments: [run.text]
            )
            return isLearned == true ? try readCosts(run, plan, db) : nil
        }
    }

    private func readCosts(_ run: RunID, _ plan: Plan, _ db: Database) throws -> RunCosts {
        let cells = try Row.fetchAll(
            db.cachedStatement(sql: "SELECT job, cell, start FROM cell_progress WHERE run = ?"),
            arguments: [run.text]
        )
        var lines: [CellKey: CostLine] = [:]
        for row in cells {
            let job = plan.jobs[row["job"] as Int].job
            let key = CellKey(job: job.name, cell: job.cells[row["cell"] as Int].id)
            let costs = try Int.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT cost FROM test_case WHERE run = ? AND job = ? AND cell = ?
                        ORDER BY cost DESC
                        """
                ),
                arguments: [run.text, row["job"] as Int, row["cell"] as Int]
            )
            lines[key] = CostLine(
                start: row["start"],
                longestFirst: costs,
                leaseMax: ShardTime.budgetMax(job.timeouts)
            )
        }
        return RunCosts(lines)
    }
}
