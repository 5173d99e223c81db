// What people and monitors ask: which runs, which workers, how much waits. Reads only.
import FarmCore
import Foundation
import GRDB

/// One run in a list.
package struct RunRow: Sendable, Hashable {
    package var id: RunID
    package var facts: RunFacts
    package var state: RunState
    /// Milliseconds since 1970.
    package var started: Int64
    package var ended: Int64?
    package var planned: Int
    package var done: Int
    package var bad: Int
    package var priority: Int
    /// Why it was closed without a judgement; nil for any other.
    package var problem: Problem?
}

/// Which runs are listed: the newest first, from a place on.
package struct RunQuery: Sendable, Hashable {
    /// The place of a run in the list.
    package struct Place: Sendable, Hashable {
        /// Milliseconds since 1970.
        package var started: Int64
        package var id: RunID

        package init(started: Int64, id: RunID) {
            self.started = started
            self.id = id
        }
    }

    package var limit: Int
    /// Only what comes after it; nil from the newest on.
    package var before: Place?
    /// Only runs of this pipeline; nil: of all.
    package var pipeline: String?
    package var branch: String?

    package init(
        limit: Int,
        before: Place? = nil,
        pipeline: String? = nil,
        branch: String? = nil
    ) {
        self.limit = limit
        self.before = before
        self.pipeline = pipeline
        self.branch = branch
    }
}

/// One worker in a list.
package struct WorkerRow: Sendable, Hashable {
    package var id: WorkerID
    /// Milliseconds since 1970.
    package var seen: Int64
    package var isLost: Bool
    /// Live leases it holds.
    package var leases: Int
    package var offer: WorkerOffer
    /// Why it does not work, by its own word; nil for one that does.
    package var unfit: Problem?
}

/// How much there is of everything, for monitors.
package struct LedgerCounts: Sendable, Hashable {
    /// By state.
    package var runs: [String: Int] = [:]
    package var liveLeases = 0
    /// Test cases of open runs that wait for a worker.
    package var waiting = 0
    /// The cells in which most wait, those first; at most `FarmLimits.metricCellsMax`.
    package var waitingCells: [WaitingCount] = []
    /// For how long the oldest open run with waiting test cases is open; 0 where none waits.
    package var waitingMilliseconds: Milliseconds = 0
    package var workers = WorkerCounts()

    init() {}
}

extension SQLiteLedger {
    package func runs(_ query: RunQuery) async throws -> [RunRow] {
        try await read { try Self.runs($0, query) }
    }

    /// Those of a ledger's file, also beside the process that owns it: reads only, takes no lock.
    ///
    /// - Throws: ``LedgerError/storage(path:reason:full:)`` also for a ledger of another version.
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
        // Which runs, by the index alone: a row lies behind a plan of megabytes.
        let which = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
        return try Row.fetchAll(
            db,
            sql: """
                SELECT id, facts, state, started, ended, priority,
                  CASE state WHEN 'unjudgeable' THEN judged END AS judged,
                  (SELECT total(planned) FROM cell_progress c WHERE c.run = r.id) AS planned,
                  (SELECT total(done) FROM cell_progress c WHERE c.run = r.id) AS done,
                  (SELECT total(bad) FROM cell_progress c WHERE c.run = r.id) AS bad
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
                // One bad row takes the list from nobody.
                facts: (try? decode(RunFacts.self, row["facts"])) ?? .unknown(id),
                state: state,
                started: row["started"],
                ended: row["ended"],
                planned: Int(row["planned"] as Double),
                done: Int(row["done"] as Double),
                bad: Int(row["bad"] as Double),
                priority: row["priority"],
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

    package func run(key: String) async throws -> RunID? {
        try await read { db in
            try String.fetchOne(db, sql: "SELECT id FROM run WHERE key = ?", arguments: [key])
                .map { RunID($0) }
        }
    }
}
