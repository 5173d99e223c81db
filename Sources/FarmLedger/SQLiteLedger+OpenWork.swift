// The input of launchers: open work by its needs, and the workers that have called. It comes from
// the cells' counters and two indexes, never from the rows of test cases.
import FarmCore
import GRDB

extension SQLiteLedger {
    /// Returns the open test cases of runs that go on, grouped by run and kind of needs, and the
    /// workers that have called since a time.
    package func openWork(
        calledSince since: Milliseconds,
        now: Milliseconds
    ) async throws -> (work: [OpenWork], called: [CalledWorker]) {
        try await read { db in
            let runs = try String.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT id FROM run WHERE state = 'running' AND stopped IS NULL
                        ORDER BY priority DESC, started LIMIT \(FarmLimits.listMax)
                        """
                )
            ).map { RunID($0) }
            let work = try runs.flatMap { try self.openWork(of: $0, db) }
            return (work, try self.called(since: since, now: now, db))
        }
    }

    private func openWork(of run: RunID, _ db: Database) throws -> [OpenWork] {
        // An unreadable run is skipped here; the claim that meets it has it closed.
        guard let known = try? known(run, db) else { return [] }
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT job, cell, planned - done, leased,
                      (SELECT count(*) FROM lease l WHERE l.run = c.run AND l.state = 'live'
                        AND l.job = c.job AND l.cell = c.cell)
                    FROM cell_progress c WHERE run = ? AND done < planned ORDER BY job, cell
                    """
            ),
            arguments: [run.text]
        )
        var kinds: [Int: OpenWork] = [:]
        for row in rows {
            let (job, cell): (Int, Int) = (row[0], row[1])
            let (open, leased): (Int, Int) = (row[2], row[3])
            let kind = known.needs?.kind(job: job, cell: cell) ?? 0
            let place = try Self.place(in: known.plan, job: job, cell: cell)
            var item =
                kinds[kind]
                ?? OpenWork(
                    run: run,
                    needs: known.needs?.kinds[kind] ?? Needs([]),
                    cell: CellKey(job: place.job.name, cell: place.cell.id),
                    waiting: 0,
                    open: 0,
                    leases: 0
                )
            item.open += open
            item.waiting += open - leased
            item.leases += row[4]
            kinds[kind] = item
        }
        return kinds.sorted { $0.key < $1.key }.map(\.value)
    }

    private func called(
        since: Milliseconds,
        now: Milliseconds,
        _ db: Database
    ) throws -> [CalledWorker] {
        let most = FarmLimits.launchersMax * FarmLimits.launchedWorkersMax
        let live = Self.liveSince(now)
        return try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT id, seen, lost IS NULL, unfit IS NOT NULL, offer,
                      (SELECT count(*) FROM lease l WHERE l.worker = w.id AND l.state = 'live')
                    FROM worker w WHERE seen >= ? ORDER BY seen DESC LIMIT \(most)
                    """
            ),
            arguments: [min(since, live)]
        ).map { row in
            let seen: Milliseconds = row[1]
            return CalledWorker(
                id: WorkerID(row[0] as String),
                seen: seen,
                isLive: row[2] && seen >= live,
                isUnfit: row[3],
                leases: row[5],
                offer: try self.offer(row[4], db)
            )
        }
    }
}
