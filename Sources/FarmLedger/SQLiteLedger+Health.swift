// What the ledger knows of its workers: how healthy each is, what it says of itself, and what that
// means for the others. The rules are `WorkerHealth` and `WorkerStanding`.
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
            let health = try self.health(of: worker, db)
            for run in runs {
                let scopes = try self.scopes(of: worker, health, in: run, now: now, db)
                // What it does not fit is no obstacle while it fits another run.
                if let first = scopes.first {
                    return scopes.allSatisfy { $0.standing.obstacle != nil }
                        ? first.standing.obstacle : nil
                }
            }
            guard let run = runs.first else { return nil }
            return try self.misfit(of: worker, in: run, db)
        }
    }

    package func incidents(_ run: RunID) async throws -> [Problem] {
        try await read { try self.incidents(run, $0) }
    }

    // MARK: one worker

    private static let healthColumns = "proven, unconfirmed, failed_at, unfit"

    /// A worker the ledger has not seen is as a new one.
    func health(of worker: WorkerID, _ db: Database) throws -> WorkerHealth {
        let select = try db.cachedStatement(
            sql: "SELECT \(Self.healthColumns) FROM worker WHERE id = ?"
        )
        guard let row = try Row.fetchOne(select, arguments: [worker.text]) else {
            return WorkerHealth()
        }
        return try Self.health(row)
    }

    /// Notes that a worker asks for work, also one that another ledger, or none, has heard of.
    func noteClaim(of worker: WorkerID, now: Milliseconds, _ db: Database) throws {
        try db.executeKept(
            sql: """
                INSERT INTO worker (id, seen) VALUES (?, ?)
                ON CONFLICT (id) DO UPDATE
                SET seen = excluded.seen, lost = NULL, isolation_awaited = NULL
                """,
            arguments: [worker.text, now]
        )
    }

    /// Of a row that begins with ``healthColumns``.
    private static func health(_ row: Row) throws -> WorkerHealth {
        var health = WorkerHealth()
        health.isProven = row[0]
        health.unconfirmed = row[1]
        health.failedAt = row[2]
        health.unfit = try (row[3] as Data?).map { try decode(Problem.self, $0) }
        return health
    }

    /// What a worker says of itself stays as it is.
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

    private static func peers(_ row: Row?) -> WorkerPeers {
        let suspended: Int = row?["suspended"] ?? 0
        return WorkerPeers(able: (row?["workers"] ?? 0) - suspended, suspended: suspended)
    }

    /// The workers that live beside one, whatever they offer; nil: all that live.
    func peers(
        of worker: WorkerID?,
        planned: Int,
        now: Milliseconds,
        _ db: Database
    ) throws -> WorkerPeers {
        let select = try db.cachedStatement(sql: "SELECT \(Self.peerColumns)")
        let arguments = Self.peerArguments(worker, planned, now)
        return Self.peers(try Row.fetchOne(select, arguments: arguments))
    }

    /// The same for each different offer; nil stands for workers that say nothing of it.
    func peersByOffer(
        of worker: WorkerID?,
        planned: Int,
        now: Milliseconds,
        _ db: Database
    ) throws -> [(offer: String?, peers: WorkerPeers)] {
        let select = try db.cachedStatement(
            sql: "SELECT offer, \(Self.peerColumns) GROUP BY offer"
        )
        let arguments = Self.peerArguments(worker, planned, now)
        return try Row.fetchAll(select, arguments: arguments).map { row in
            (row["offer"], Self.peers(row))
        }
    }

    /// Workers among which a run's work is shared: when all are suspended, they go on.
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

    /// Why workers that live get no work of a run that they fit.
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

    /// Keeps what people shall read of a run; the same `subject` keeps its first words.
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

    // MARK: leases of workers that get no more

    /// Takes back the live leases of a worker; nothing counts as an attempt.
    func withdraw(leasesOf worker: WorkerID, now: Milliseconds, _ db: Database) throws {
        try withdraw("worker", worker.text, now: now, db)
    }

    /// Takes back all live leases of a run; nothing counts as an attempt.
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
