// The waiting test cases of a run by cell, from its board and from indexes that are nearly always
// empty. No claim reads the rows of waiting test cases.
import FarmCore
import GRDB

extension SQLiteLedger {
    /// Returns the cells of a scope that are not done, with their waiting test cases.
    ///
    /// The query looks only for test cases that not every worker may take.
    func waitingCells(
        _ board: RunBoard,
        _ run: RunID,
        within scope: ClaimScope,
        _ db: Database
    ) throws -> [WaitingCell] {
        var cells = board.startingCells
        for (key, special) in try constrainedCells(run, avoiding: scope.avoid, db) {
            guard let place = board.place(job: key[0], cell: key[1]) else { continue }
            cells[place].count -= special.notTogether
            cells[place].alone = special.alone
        }
        for (key, count) in try isolatedCells(run, db) {
            guard let place = board.place(job: key[0], cell: key[1]) else { continue }
            cells[place].count -= count.waiting
            cells[place].isolated = count.ready
        }
        return cells.indices.filter { place in
            board.isOpen(place) && scope.has(board.position(of: place))
        }.map { cells[$0] }
    }

    /// Returns the number of waiting test cases that run alone or avoid a worker, by positions of
    /// job and cell in the plan; there are few.
    private func constrainedCells(
        _ run: RunID,
        avoiding worker: String,
        _ db: Database
    ) throws -> [[Int]: (notTogether: Int, alone: Int)] {
        let constrained = try db.cachedStatement(
            sql: """
                SELECT job, cell, total(alone = 1 OR avoid = ?),
                  total(alone = 1 AND (avoid IS NULL OR avoid <> ?))
                FROM test_case INDEXED BY test_case_choosy
                WHERE run = ? AND state = 0 AND (alone = 1 OR avoid IS NOT NULL)
                GROUP BY job, cell
                """
        )
        let rows = try Row.fetchAll(constrained, arguments: [worker, worker, run.text])
        return rows.reduce(into: [:]) { cells, row in
            let counts = (notTogether: Int(row[2] as Double), alone: Int(row[3] as Double))
            cells[[row[0], row[1]]] = counts
        }
    }
}
