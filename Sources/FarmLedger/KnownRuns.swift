// The parts of a run that never change once it is open, read once for all its claims and reports:
// decoding a plan of 6,000 tests costs more than a claim.
import FarmCore
import Foundation
import GRDB
import Synchronization

/// A run's plan, and the values derived from it.
struct KnownRun: Sendable {
    let plan: Plan
    /// The needs of the run's cells, or `nil` if no cell needs anything.
    let needs: PlanNeeds?
    /// The expected costs of the run's test cases, or `nil` if the run came without costs or has
    /// ended: claims then use the mean.
    let costs: ExpectedCosts?
    /// The board of the run's cells, with all counters at zero.
    let board: RunBoard
}

/// A cache of runs with at most `FarmLimits.testCasesKnownMax` test cases together.
final class KnownRuns: Sendable {
    private let runs = Mutex(BoundedCache<RunID, KnownRun>(max: FarmLimits.testCasesKnownMax))

    subscript(run: RunID) -> KnownRun? { runs.withLock { $0[run] } }

    func keep(_ known: KnownRun, for run: RunID) {
        // A run without tests uses memory, too.
        runs.withLock { $0.keep(known, for: run, weight: known.plan.testCount + 100) }
    }

    func forget(_ run: RunID) { runs.withLock { _ = $0.removeValue(forKey: run) } }

    /// Empties the cache, because another ledger's rows have replaced this one's.
    func forget() { runs.withLock { $0.removeAll() } }
}

extension SQLiteLedger {
    func plan(_ run: RunID, _ db: Database) throws -> Plan { try known(run, db).plan }

    /// Returns the needs of a run's cells, or `nil` if no cell needs anything.
    func needs(of run: RunID, _ db: Database) throws -> PlanNeeds? { try known(run, db).needs }

    func known(_ run: RunID, _ db: Database) throws -> KnownRun {
        if let known = runs[run] { return known }
        guard
            let row = try Row.fetchOne(
                db.cachedStatement(
                    sql: "SELECT plan, learned AND state = 'running' FROM run WHERE id = ?"
                ),
                arguments: [run.text]
            )
        else { throw LedgerError.noRun(run) }
        let plan = try Self.soundPlan(row[0])
        let known = KnownRun(
            plan: plan,
            needs: PlanNeeds(plan),
            costs: row[1] ? try readCosts(run, plan, db) : nil,
            board: RunBoard(plan)
        )
        runs.keep(known, for: run)
        return known
    }

    /// Decodes a plan and checks it, so that no other code has to check it again.
    ///
    /// - Throws: `LedgerError.damaged`, also for a plan that an older program accepted and that
    ///   cannot run.
    static func soundPlan(_ data: Data) throws -> Plan {
        let plan = try decode(Plan.self, data)
        if let mistakes = PlanMistakes(plan) { throw LedgerError.damaged(mistakes.message) }
        return plan
    }

    private func readCosts(_ run: RunID, _ plan: Plan, _ db: Database) throws -> ExpectedCosts {
        let cells = try Row.fetchAll(
            db.cachedStatement(sql: "SELECT job, cell FROM cell_progress WHERE run = ?"),
            arguments: [run.text]
        )
        var lines: [CellKey: CostLine] = [:]
        for row in cells {
            let (job, cell) = try Self.place(in: plan, job: row["job"], cell: row["cell"])
            let costs = try Int.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT cost FROM test_case WHERE run = ? AND job = ? AND cell = ?
                        ORDER BY cost DESC
                        """
                ),
                arguments: [run.text, row["job"] as Int, row["cell"] as Int]
            )
            lines[CellKey(job: job.name, cell: cell.id)] = CostLine(longestFirst: costs)
        }
        return .learned(lines)
    }
}
