// The counts of waiting test cases and of workers, for monitors. They come from the cells'
// counters, never from the rows of test cases: a monitor reads them every few seconds.
import FarmCore
import GRDB

/// The number of waiting test cases of one cell of one pipeline, over all its open runs and jobs.
package struct WaitingCount: Sendable, Hashable {
    package var pipeline: String
    package var cell: CellID
    package var count: Int
}

/// The number of workers in each state.
///
/// All but the lost ones have called within the time of one lease.
package struct WorkerCounts: Sendable, Hashable {
    package var able = 0
    /// The number of workers that get no work for a while, because they failed tests that other
    /// workers passed.
    package var suspended = 0
    /// The number of workers that reported themselves unfit.
    package var unfit = 0
    /// The number of workers whose leases were taken back within the last day and that did not call
    /// again.
    package var lost = 0

    init() {}

    /// The number of workers in each state, with the state's name.
    package var byState: [(state: String, count: Int)] {
        [("able", able), ("lost", lost), ("suspended", suspended), ("unfit", unfit)]
    }
}

extension SQLiteLedger {
    private static let lostMilliseconds: Milliseconds = 86_400_000

    /// Adds the counts of waiting test cases to `counts`.
    func addWaiting(to counts: inout LedgerCounts, _ db: Database, now: Milliseconds) throws {
        struct Key: Hashable {
            let pipeline: String
            let cell: CellID
        }
        var cells: [Key: Int] = [:]
        let open = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT id, started FROM run INDEXED BY run_open
                    WHERE state = 'running' ORDER BY started
                    """
            )
        )
        for row in open {
            let run = RunID(row[0] as String)
            let waiting = try waitingPlaces(of: run, db)
            guard !waiting.isEmpty else { continue }
            counts.waiting += waiting.reduce(0) { $0 + $1.count }
            counts.waitingMilliseconds = max(counts.waitingMilliseconds, now - row[1])
            // A run whose plan cannot be read has no cell names, but its total counts.
            guard let plan = try? known(run, db).plan else { continue }
            for place in waiting {
                guard let name = try? Self.place(in: plan, job: place.job, cell: place.cell)
                else { continue }
                let key = Key(pipeline: plan.pipeline, cell: name.cell.id)
                cells[key, default: 0] += place.count
            }
        }
        counts.waitingCells =
            cells.map { WaitingCount(pipeline: $0.pipeline, cell: $0.cell, count: $1) }
            .sorted { ($1.count, $0.pipeline, $0.cell) < ($0.count, $1.pipeline, $1.cell) }
            .prefix(FarmLimits.metricCellsMax).map(\.self)
    }

    private func waitingPlaces(
        of run: RunID,
        _ db: Database
    ) throws -> [(job: Int, cell: Int, count: Int)] {
        try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT job, cell, planned - done - leased FROM cell_progress
                    WHERE run = ? AND planned > done + leased
                    """
            ),
            arguments: [run.text]
        ).map { ($0[0], $0[1], $0[2]) }
    }

    /// Returns the number of workers in each state.
    ///
    /// A worker that is suspended for any open run counts as suspended.
    func workerCounts(_ db: Database, now: Milliseconds) throws -> WorkerCounts {
        let planned = try Int.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT min(planned) FROM (
                      SELECT total(c.planned) AS planned
                      FROM run r INDEXED BY run_open JOIN cell_progress c ON c.run = r.id
                      WHERE r.state = 'running' GROUP BY r.id)
                    """
            )
        )
        let peers = try peers(of: nil, planned: planned ?? 0, pipeline: nil, now: now, db)
        var counts = WorkerCounts()
        counts.able = peers.able
        counts.suspended = peers.suspended
        let others = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT total(seen >= ? AND lost IS NULL
                        AND json_extract(CAST(unfit AS TEXT), '$.code') <> ?),
                      total(lost >= ?) FROM worker
                    """
            ),
            arguments: [
                Self.liveSince(now), Problem.workerLeftCode, now - Self.lostMilliseconds,
            ]
        )
        counts.unfit = Int(others?[0] as Double? ?? 0)
        counts.lost = Int(others?[1] as Double? ?? 0)
        return counts
    }
}
