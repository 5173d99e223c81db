// The health, the offers and the state of workers in the ledger, and the effect of one worker's
// health on the others. The rules are `WorkerHealth` and `WorkerStanding`.
import FarmCore
import Foundation
import GRDB

extension SQLiteLedger {
    package func registerWorker(
        _ worker: WorkerID,
        unfit: Problem?,
        offer: WorkerOffer?,
        beginsAnew: Bool,
        now: Milliseconds
    ) async throws {
        let reason = try unfit.map { try Self.encode($0) }
        try await write { db in
            let digest = try offer.map { try self.keep($0, db) }
            try db.executeKept(
                sql: """
                    INSERT INTO worker (id, seen, unfit, offer) VALUES (?, ?, ?, ?)
                    ON CONFLICT (id) DO UPDATE
                    SET seen = excluded.seen, lost = NULL, unfit = excluded.unfit,
                      offer = iif(?, excluded.offer, coalesce(excluded.offer, worker.offer))
                    """,
                arguments: [worker.text, now, reason, digest, beginsAnew]
            )
            if beginsAnew { try self.set(WorkerHealth(), of: worker, db) }
        }
    }

    package func obstacle(to worker: WorkerID, now: Milliseconds) async throws -> Problem? {
        try await read { db in
            let runs = try String.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT id FROM run WHERE state = 'running' AND stopped IS NULL
                        ORDER BY started
                        """
                )
            ).map { RunID($0) }
                .filter { try self.reaches(worker, self.plan($0, db).pipeline, db) }
            let health = try self.health(of: worker, db)
            for run in runs {
                let scopes = try self.scopes(of: worker, health, in: run, now: now, db)
                // A worker that fits no cell of a run may still fit another run.
                if let first = scopes.first {
                    return scopes.allSatisfy { $0.standing.obstacle != nil }
                        ? first.standing.obstacle : nil
                }
            }
            guard let run = runs.first else { return nil }
            return try self.misfit(of: worker, in: run, now: now, db)
        }
    }

    package func incidents(_ run: RunID) async throws -> [Problem] {
        try await read { try self.incidents(run, $0) }
    }

    // MARK: one worker

    private static let healthColumns = "proven, unconfirmed, failed_at, unfit"

    /// Returns a worker's health; a worker that is not in the ledger has the health of a new one.
    func health(of worker: WorkerID, _ db: Database) throws -> WorkerHealth {
        let select = try db.cachedStatement(
            sql: "SELECT \(Self.healthColumns) FROM worker WHERE id = ?"
        )
        guard let row = try Row.fetchOne(select, arguments: [worker.text]) else {
            return WorkerHealth()
        }
        return try Self.health(row)
    }

    /// Notes that a worker claims, also one that is not in this ledger yet, and the pipelines whose
    /// tests it may run.
    func noteClaim(_ claim: Claim, _ db: Database) throws {
        try db.executeKept(
            sql: """
                INSERT INTO worker (id, seen, pipelines) VALUES (?, ?, ?)
                ON CONFLICT (id) DO UPDATE
                SET seen = excluded.seen, lost = NULL, isolation_awaited = NULL,
                  pipelines = excluded.pipelines
                """,
            arguments: [claim.worker.text, claim.now, Self.text(claim.reach)]
        )
    }

    /// Returns a reach as the ledger stores it: its patterns, one in each line, or `nil` for every
    /// pipeline.
    static func text(_ reach: PipelineReach) -> String? {
        reach.patterns?.joined(separator: "\n")
    }

    static func reach(_ text: String?) -> PipelineReach {
        PipelineReach(patterns: text?.split(separator: "\n").map(String.init))
    }

    /// Returns whether a worker may run tests of a pipeline.
    func reaches(_ worker: WorkerID, _ pipeline: String, _ db: Database) throws -> Bool {
        let select = try db.cachedStatement(sql: "SELECT pipelines FROM worker WHERE id = ?")
        let text = try String.fetchOne(select, arguments: [worker.text])
        return Self.reach(text).reaches(pipeline)
    }

    /// Reads a worker's health from a row that begins with ``healthColumns``.
    private static func health(_ row: Row) throws -> WorkerHealth {
        var health = WorkerHealth()
        health.isProven = row[0]
        health.unconfirmed = row[1]
        health.failedAt = row[2]
        health.unfit = try (row[3] as Data?).map { try decode(Problem.self, $0) }
        return health
    }

    /// Stores a worker's health, except `unfit`, which only the worker itself reports.
    func set(_ health: WorkerHealth, of worker: WorkerID, _ db: Database) throws {
        try db.executeKept(
            sql: "UPDATE worker SET proven = ?, unconfirmed = ?, failed_at = ? WHERE id = ?",
            arguments: [health.isProven, health.unconfirmed, health.failedAt, worker.text]
        )
    }

    // MARK: all workers

    private static let peerColumns = """
        count(*) AS workers, count(*) FILTER (
          WHERE unconfirmed >= iif(proven, ?, ?) AND failed_at > ?) AS suspended
        FROM worker WHERE id <> ? AND seen >= ? AND lost IS NULL AND unfit IS NULL
        """

    private static func peerArguments(
        _ worker: WorkerID?,
        _ planned: Int,
        _ now: Milliseconds
    ) -> StatementArguments {
        [
            WorkerHealth.unconfirmedMax(planned: planned, isProven: true),
            WorkerHealth.unconfirmedMax(planned: planned, isProven: false),
            WorkerHealth.suspendedSince(now: now), worker?.text ?? "", liveSince(now),
        ]
    }

    private static func peers(_ row: Row) -> WorkerPeers {
        let suspended: Int = row["suspended"]
        return WorkerPeers(able: row["workers"] - suspended, suspended: suspended)
    }

    /// Returns the counts of the live and fit workers beside `worker`, or of all such workers if it
    /// is `nil`, whatever they offer.
    ///
    /// `planned` is the number of the run's test cases. Only workers that may run tests of
    /// `pipeline` count; `nil` counts all.
    func peers(
        of worker: WorkerID?,
        planned: Int,
        pipeline: String?,
        now: Milliseconds,
        _ db: Database
    ) throws -> WorkerPeers {
        let select = try db.cachedStatement(
            sql: "SELECT pipelines, \(Self.peerColumns) GROUP BY pipelines"
        )
        let arguments = Self.peerArguments(worker, planned, now)
        return try Row.fetchAll(select, arguments: arguments)
            .filter { row in pipeline.map { Self.reach(row["pipelines"]).reaches($0) } ?? true }
            .reduce(.none) { $0 + Self.peers($1) }
    }

    /// Returns the live workers beside `worker` that may run tests of `pipeline`, by offer, with the
    /// first of each offer; the offer is `nil` for workers that sent none.
    func peersByOffer(
        of worker: WorkerID?,
        planned: Int,
        pipeline: String,
        now: Milliseconds,
        _ db: Database
    ) throws -> [(offer: String?, first: WorkerID, peers: WorkerPeers)] {
        let select = try db.cachedStatement(
            sql: """
                SELECT offer, pipelines, min(id) AS first, \(Self.peerColumns)
                GROUP BY offer, pipelines
                """
        )
        let arguments = Self.peerArguments(worker, planned, now)
        return try Row.fetchAll(select, arguments: arguments)
            .filter { Self.reach($0["pipelines"]).reaches(pipeline) }
            .map { row in (row["offer"], WorkerID(row["first"] as String), Self.peers(row)) }
    }

    /// Returns the number of workers that share a run's work.
    ///
    /// If all are suspended, those count.
    func ableWorkers(
        for run: RunID,
        _ plan: Plan,
        now: Milliseconds,
        _ db: Database
    ) throws -> Int {
        let all = try peers(of: nil, for: run, planned: plan.testCount, now: now, db) {
            !$0.isEmpty
        }
        return all.able > 0 ? all.able : all.suspended
    }

    /// Returns a problem for each live worker that fits cells of a run and still gets no work of
    /// it.
    func notes(of run: RunID, now: Milliseconds, _ db: Database) throws -> [Problem] {
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT \(Self.healthColumns), id FROM worker
                    WHERE seen >= ? AND lost IS NULL
                      AND (unfit IS NOT NULL OR unconfirmed >= ?)
                    ORDER BY id LIMIT ?
                    """
            ),
            arguments: [
                Self.liveSince(now), FarmLimits.unprovenTestsMax, FarmLimits.workersMax,
            ]
        )
        return try rows.compactMap { row in
            let worker = WorkerID(row["id"] as String)
            let health = try Self.health(row)
            let scopes = try scopes(of: worker, health, in: run, now: now, db)
            let obstacles = scopes.compactMap(\.standing.obstacle)
            guard health.unfit?.code != Problem.workerLeftCode else { return nil }
            return obstacles.count == scopes.count ? obstacles.first : nil
        }
    }

    static func liveSince(_ now: Milliseconds) -> Milliseconds {
        now - Int64(FarmLimits.leaseSeconds * 1000)
    }

    // MARK: incidents

    /// Stores an incident of a run for people to read, unless the run has one about the same
    /// `subject`.
    func note(
        _ problem: Problem,
        about subject: String,
        of run: RunID,
        now: Milliseconds,
        _ db: Database
    ) throws {
        try db.executeKept(
            sql: """
                INSERT OR IGNORE INTO incident (run, code, subject, problem, at)
                VALUES (?, ?, ?, ?, ?)
                """,
            arguments: [run.text, problem.code, subject, try Self.encode(problem), now]
        )
    }

    func incidents(_ run: RunID, _ db: Database) throws -> [Problem] {
        try Data.fetchAll(
            db.cachedStatement(
                sql: "SELECT problem FROM incident WHERE run = ? ORDER BY at, code, subject"
            ),
            arguments: [run.text]
        ).map { try Self.decode(Problem.self, $0) }
    }

    // MARK: withdrawal of leases

    /// Withdraws the live leases of a worker; no attempt counts.
    func withdraw(leasesOf worker: WorkerID, now: Milliseconds, _ db: Database) throws {
        try withdraw("worker", worker.text, now: now, db)
    }

    /// Withdraws all live leases of a run; no attempt counts.
    func withdraw(leasesOf run: RunID, now: Milliseconds, _ db: Database) throws {
        try withdraw("run", run.text, now: now, db)
    }

    private func withdraw(
        _ column: String,
        _ value: String,
        now: Milliseconds,
        _ db: Database
    ) throws {
        let epochs = try Int64.fetchAll(
            db.cachedStatement(
                sql: "SELECT epoch FROM lease WHERE \(column) = ? AND state = 'live'"
            ),
            arguments: [value]
        )
        for epoch in epochs {
            _ = try end(epoch, as: "withdrawn", now: now, db)
            try requeue(epoch, db)
        }
    }
}
