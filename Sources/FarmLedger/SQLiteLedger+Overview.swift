// The open work of each pipeline and the live leases, for quotas and for operators. Reads the cells'
// counters, never the rows of test cases.
import FarmCore
import GRDB

/// The open work of one pipeline.
package struct PipelineLoad: Hashable, Sendable {
    package var pipeline: String
    package var openRuns = 0
    /// The number of test cases without a lease and without a verdict.
    package var waiting = 0
    package var leases = 0
}

/// A live lease, for operators.
package struct LiveLease: Hashable, Sendable {
    package var worker: WorkerID
    package var run: RunID
    package var pipeline: String
    package var job: JobName
    package var cell: CellID
    /// The test that runs now, or `nil` if the worker has named none yet.
    package var test: TestID?
    /// The time of the grant, in milliseconds since 1970.
    package var granted: Milliseconds
    /// The time when the lease last started or reported a test; that of the grant if it has not.
    package var heard: Milliseconds
}

extension SQLiteLedger {
    /// Returns the open work of each pipeline with open runs, by name.
    package func loads() async throws -> [PipelineLoad] {
        try await read { db in
            var loads: [String: PipelineLoad] = [:]
            let rows = try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT id,
                          (SELECT total(planned - done - leased) FROM cell_progress c
                            WHERE c.run = r.id),
                          (SELECT count(*) FROM lease l WHERE l.run = r.id AND l.state = 'live')
                        FROM run r INDEXED BY run_open WHERE state = 'running'
                        """
                )
            )
            for row in rows {
                // A run that cannot be read is closed by the next claim.
                guard let plan = try? self.known(RunID(row[0] as String), db).plan else { continue }
                var load = loads[plan.pipeline] ?? PipelineLoad(pipeline: plan.pipeline)
                load.openRuns += 1
                load.waiting += Int(row[1] as Double)
                load.leases += row[2]
                loads[plan.pipeline] = load
            }
            return loads.values.sorted { $0.pipeline < $1.pipeline }
        }
    }

    /// Returns the live leases, by worker.
    package func liveLeases() async throws -> [LiveLease] {
        try await read { db in
            try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT worker, run, job, cell, running, granted, max(granted, coalesce(heard, 0))
                        FROM lease WHERE state = 'live' ORDER BY worker LIMIT ?
                        """
                ),
                arguments: [FarmLimits.workersMax]
            ).compactMap { row in
                let run = RunID(row[1] as String)
                guard let plan = try? self.known(run, db).plan,
                    let place = try? Self.place(in: plan, job: row[2], cell: row[3])
                else { return nil }
                return LiveLease(
                    worker: WorkerID(row[0] as String),
                    run: run,
                    pipeline: plan.pipeline,
                    job: place.job.name,
                    cell: place.cell.id,
                    test: (row[4] as String?).map { TestID($0) },
                    granted: row[5],
                    heard: row[6]
                )
            }
        }
    }
}
