// The lists for people and monitors: runs, workers and counts. Reads only.
import FarmCore
import Foundation
import GRDB

/// A run in a list.
package struct RunRow: Sendable, Hashable {
    package var id: RunID
    package var facts: RunFacts
    package var state: RunState
    /// The time of the run's start, in milliseconds since 1970.
    package var started: Int64
    package var ended: Int64?
    package var planned: Int
    package var done: Int
    package var bad: Int
    package var priority: Int
    /// The number of live leases.
    package var leases: Int
    /// The team of the run's pipeline, or `nil` in a list that is read from a file.
    package var team: String?
    /// Why the run was closed as unjudgeable, or `nil` for any other run.
    package var problem: Problem?
}

/// A query for one page of the list of runs, newest first.
package struct RunQuery: Sendable, Hashable {
    /// The position of a run in the list.
    package struct Place: Sendable, Hashable {
        /// The time of the run's start, in milliseconds since 1970.
        package var started: Int64
        package var id: RunID

        package init(started: Int64, id: RunID) {
            self.started = started
            self.id = id
        }
    }

    package var limit: Int
    /// The run after which the page begins, or `nil` to begin with the newest run.
    package var before: Place?
    /// The only pipeline whose runs are listed, or `nil` for all pipelines.
    package var pipeline: String?
    package var branch: String?
    /// The pipelines whose runs the caller may see.
    package var reach: PipelineReach

    package init(
        limit: Int,
        before: Place? = nil,
        pipeline: String? = nil,
        branch: String? = nil,
        reach: PipelineReach = .everything
    ) {
        self.limit = limit
        self.before = before
        self.pipeline = pipeline
        self.branch = branch
        self.reach = reach
    }
}

/// A worker in a list.
package struct WorkerRow: Sendable, Hashable {
    package var id: WorkerID
    /// The time of the worker's last call, in milliseconds since 1970.
    package var seen: Int64
    package var isLost: Bool
    /// The number of the worker's live leases.
    package var leases: Int
    package var offer: WorkerOffer
    /// The reason that the worker itself reported for not working, or `nil` if it works.
    package var unfit: Problem?
}

/// The counts of runs, leases, waiting test cases and workers, for monitors.
package struct LedgerCounts: Sendable, Hashable {
    /// The number of runs by state.
    package var runs: [String: Int] = [:]
    package var liveLeases = 0
    /// The number of test cases of open runs that wait for a worker.
    package var waiting = 0
    /// The cells with the most waiting test cases, largest first; at most
    /// `FarmLimits.metricCellsMax`.
    package var waitingCells: [WaitingCount] = []
    /// The age of the oldest open run with waiting test cases, in milliseconds; 0 if none waits.
    package var waitingMilliseconds: Milliseconds = 0
    package var workers = WorkerCounts()

    init() {}
}

extension SQLiteLedger {
    package func runs(_ query: RunQuery) async throws -> [RunRow] {
        let teams = turns.teams
        return try await read { try Self.runs($0, query) }.map { row in
            var row = row
            row.team = teams.team(of: row.facts.pipeline).name
            return row
        }
    }

    /// Returns the newest runs of a ledger's file.
    ///
    /// Reads only and takes no lock, so another process may own the file.
    ///
    /// - Throws: ``LedgerError/storage(path:reason:full:)``, also for a ledger of another version.
    package static func runs(inFileAt path: String, limit: Int) throws -> [RunRow] {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        do {
            let database = try DatabaseQueue(path: path, configuration: configuration)
            return try database.read { try runs($0, RunQuery(limit: limit)) }
        } catch let error as DatabaseError {
            throw explained(error, path)
        }
    }

    /// Reads the summaries of the newest `limit` judged runs of a ledger's file, the oldest first,
    /// one at a time and without their tests.
    ///
    /// Reads only and takes no lock, so another process may own the file.
    package static func eachSummary(
        inFileAt path: String,
        limit: Int,
        _ body: (RunSummary) throws -> Void
    ) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        do {
            let database = try DatabaseQueue(path: path, configuration: configuration)
            try database.read { db in
                let ids = try String.fetchAll(
                    db,
                    sql: """
                        SELECT id FROM run WHERE judged IS NOT NULL
                        ORDER BY started DESC, id DESC LIMIT ?
                        """,
                    arguments: [limit]
                )
                for id in ids.reversed() {
                    let row = try Row.fetchOne(
                        db,
                        sql: "SELECT judged FROM run WHERE id = ?",
                        arguments: [id]
                    )
                    guard let bytes = row?["judged"] as Data? else { continue }
                    try body(decode(JudgedRun.self, bytes).summary)
                }
            }
        } catch let error as DatabaseError {
            throw explained(error, path)
        }
    }

    static func runs(_ db: Database, _ query: RunQuery) throws -> [RunRow] {
        var conditions: [String] = []
        var arguments: StatementArguments = []
        if let place = query.before {
            conditions.append("(started, id) < (?, ?)")
            arguments += [place.started, place.id.text]
        }
        for (column, value) in [("pipeline", query.pipeline), ("branch", query.branch)] {
            guard let value else { continue }
            conditions.append("\(column) = ?")
            arguments += [value]
        }
        if !query.reach.isEverything {
            let reached = try String.fetchAll(db, sql: "SELECT DISTINCT pipeline FROM run")
                .filter { query.reach.reaches($0) }
            let places = Array(repeating: "?", count: reached.count).joined(separator: ", ")
            conditions.append("pipeline IN (\(places))")
            arguments += StatementArguments(reached)
        }
        // The index alone selects the runs: reading a row means reading past a plan of megabytes.
        let which = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
        return try Row.fetchAll(
            db,
            sql: """
                SELECT id, facts, state, started, ended, priority,
                  CASE state WHEN 'unjudgeable' THEN judged END AS judged,
                  (SELECT total(planned) FROM cell_progress c WHERE c.run = r.id) AS planned,
                  (SELECT total(done) FROM cell_progress c WHERE c.run = r.id) AS done,
                  (SELECT total(bad) FROM cell_progress c WHERE c.run = r.id) AS bad,
                  (SELECT count(*) FROM lease l WHERE l.run = r.id AND l.state = 'live')
                    AS leases
                FROM run r WHERE id IN (
                  SELECT id FROM run \(which) ORDER BY started DESC, id DESC LIMIT ?
                ) ORDER BY started DESC, id DESC
                """,
            arguments: arguments + [query.limit]
        ).map { row in
            let id = RunID(row["id"] as String)
            guard let state = RunState(rawValue: row["state"]) else {
                throw LedgerError.damaged("state of run \(id)")
            }
            return RunRow(
                id: id,
                // A damaged row is listed without facts, so that the others can be listed.
                facts: (try? decode(RunFacts.self, row["facts"])) ?? .unknown(id),
                state: state,
                started: row["started"],
                ended: row["ended"],
                planned: Int(row["planned"] as Double),
                done: Int(row["done"] as Double),
                bad: Int(row["bad"] as Double),
                priority: row["priority"],
                leases: row["leases"],
                problem: (row["judged"] as Data?).flatMap { judged in
                    (try? decode(JudgedRun.self, judged))?.summary.problems.first
                }
            )
        }
    }

    package func workers(limit: Int) async throws -> [WorkerRow] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT id, seen, lost, offer, unfit,
                      (SELECT count(*) FROM lease l WHERE l.worker = w.id AND l.state = 'live')
                        AS leases
                    FROM worker w ORDER BY seen DESC, id LIMIT ?
                    """,
                arguments: [limit]
            ).map { row in
                try WorkerRow(
                    id: WorkerID(row["id"] as String),
                    seen: row["seen"],
                    isLost: (row["lost"] as Int64?) != nil,
                    leases: row["leases"],
                    offer: self.offer(row["offer"], db),
                    unfit: (row["unfit"] as Data?).map { try Self.decode(Problem.self, $0) }
                )
            }
        }
    }

    package func counts(now: Milliseconds) async throws -> LedgerCounts {
        try await read { db in
            var counts = LedgerCounts()
            let states = try Row.fetchAll(
                db,
                sql: "SELECT state, count(*) AS count FROM run GROUP BY state"
            )
            for row in states { counts.runs[row["state"]] = row["count"] }
            counts.liveLeases =
                try Int.fetchOne(db, sql: "SELECT count(*) FROM lease WHERE state = 'live'") ?? 0
            try self.addWaiting(to: &counts, db, now: now)
            counts.workers = try self.workerCounts(db, now: now)
            return counts
        }
    }

    package func run(key: String, of pipeline: String) async throws -> RunID? {
        try await read { db in
            try String.fetchOne(
                db,
                sql: "SELECT id FROM run WHERE key = ?",
                arguments: [Self.key(key, of: pipeline)]
            ).map { RunID($0) }
        }
    }
}
