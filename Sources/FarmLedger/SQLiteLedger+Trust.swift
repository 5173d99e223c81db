// What the ledger knows of its workers: how far each is trusted, what it says of itself, and what
// that means for the others. The rules are `WorkerTrust` and `WorkerStanding`.
import FarmCore
import Foundation
import GRDB

extension SQLiteLedger {
    package func assess(
        _ worker: WorkerID,
        unfit: Problem?,
        offer: WorkerOffer?,
        beginsAnew: Bool,
        now: Milliseconds
    ) async throws {
        let reason = try unfit.map { try Self.encode($0) }
        try await write { db in
            let digest = try offer.map { try self.keep($0, db) }
            try self.changeWorkers(
                """
                INSERT INTO worker (id, seen, unfit, offer) VALUES (?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE
                SET seen = excluded.seen, lost = NULL, unfit = excluded.unfit,
                  offer = iif(?, excluded.offer, coalesce(excluded.offer, worker.offer))
                """,
                [worker.text, now, reason, digest, beginsAnew],
                db
            )
            if beginsAnew { try self.set(WorkerTrust(), of: worker, db) }
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
            let trust = try self.trust(of: worker, db)
            for run in runs {
                let scopes = try self.scopes(of: worker, trust, in: run, now: now, db)
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

    private static let trustColumns =
        "proven, doubted, doubted_at, confirmed, refuted, blame, aside, unfit"

    /// A worker the ledger has not seen is trusted as a new one.
    func trust(of worker: WorkerID, _ db: Database) throws -> WorkerTrust {
        if boards.isOpen(db), let known = boards.workers[worker] { return known.trust }
        let select = try db.cachedStatement(
            sql: "SELECT \(Self.trustColumns) FROM worker WHERE id = ?"
        )
        guard let row = try Row.fetchOne(select, arguments: [worker.text]) else {
            return WorkerTrust()
        }
        return try Self.trust(row)
    }

    /// How much later than it says a worker may have been seen.
    private static let seenMilliseconds = Int64(FarmLimits.seenSeconds * 1000)

    /// Notes that a worker asks for work, also one that another ledger, or none, has heard of; returns
    /// how far it is trusted.
    func noteClaim(
        of worker: WorkerID,
        now: Milliseconds,
        _ db: Database
    ) throws -> WorkerTrust {
        // A worker of short leases asks many times a second: that it lives is written once.
        if let known = boards.workers[worker], !known.isLost, !known.awaitsQuiet,
            (0..<Self.seenMilliseconds).contains(now - known.seen)
        {
            return known.trust
        }
        let noted = try changeWorkers(
            """
            INSERT INTO worker (id, seen) VALUES (?, ?)
            ON CONFLICT (id) DO UPDATE
            SET seen = excluded.seen, lost = NULL, quiet_at = NULL
            """,
            [worker.text, now],
            db
        )
        return noted.first?.trust ?? WorkerTrust()
    }

    /// Of a row that has ``trustColumns`` from some place on.
    static func trust(_ row: Row, from place: Int = 0) throws -> WorkerTrust {
        var trust = WorkerTrust()
        trust.isProven = row[place]
        trust.doubted = row[place + 1]
        trust.doubtedAt = row[place + 2]
        trust.confirmed = row[place + 3]
        trust.refuted = row[place + 4]
        trust.blame = row[place + 5]
        trust.aside = try (row[place + 6] as Data?).map { try decode(Problem.self, $0) }
        trust.unfit = try (row[place + 7] as Data?).map { try decode(Problem.self, $0) }
        return trust
    }

    /// What a worker says of itself stays as it is.
    func set(_ trust: WorkerTrust, of worker: WorkerID, _ db: Database) throws {
        try changeWorkers(
            """
            UPDATE worker SET proven = ?, doubted = ?, doubted_at = ?, confirmed = ?,
              refuted = ?, blame = ?, aside = ? WHERE id = ?
            """,
            [
                trust.isProven, trust.doubted, trust.doubtedAt, trust.confirmed, trust.refuted,
                trust.blame, try trust.aside.map { try Self.encode($0) }, worker.text,
            ],
            db
        )
    }

    // MARK: all workers

    /// What ``WorkerBoard`` counts, for who looks outside of a change.
    private static let peerColumns = """
        count(*) FILTER (WHERE aside IS NULL
            AND (doubted < iif(proven, ?, ?) OR doubted_at <= ?)) AS able,
          count(*) FILTER (WHERE aside IS NULL) AS sound, count(aside) AS aside
        FROM worker WHERE id <> ? AND seen >= ? AND lost IS NULL AND unfit IS NULL
        """

    private static func peerArguments(
        _ worker: WorkerID?,
        _ planned: Int,
        _ now: Milliseconds
    ) -> StatementArguments {
        [
            WorkerTrust.doubtedMax(planned: planned, isProven: true),
            WorkerTrust.doubtedMax(planned: planned, isProven: false),
            WorkerTrust.heldSince(now: now), worker?.text ?? "", liveSince(now),
        ]
    }

    private static func peers(_ row: Row?) -> WorkerPeers {
        func count(_ column: String) -> Int { row?[column] ?? 0 }
        return WorkerPeers(able: count("able"), sound: count("sound"), aside: count("aside"))
    }

    /// The workers that live beside one, whatever they offer; nil: all that live.
    func peers(
        of worker: WorkerID?,
        planned: Int,
        now: Milliseconds,
        _ db: Database
    ) throws -> WorkerPeers {
        if boards.isOpen(db) {
            return try boards.workers.board(now: now, db) {
                $0.peers(of: worker, planned: planned, now: now)
            }
        }
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
        if boards.isOpen(db) {
            return try boards.workers.board(now: now, db) {
                $0.peersByOffer(of: worker, planned: planned, now: now).map { ($0.key, $0.value) }
            }
        }
        let select = try db.cachedStatement(
            sql: "SELECT offer, \(Self.peerColumns) GROUP BY offer"
        )
        let arguments = Self.peerArguments(worker, planned, now)
        return try Row.fetchAll(select, arguments: arguments).map { row in
            (row["offer"], Self.peers(row))
        }
    }

    /// Workers among which a run's work is shared: when all are doubted, they go on.
    func ableWorkers(
        for run: RunID,
        _ plan: Plan,
        now: Milliseconds,
        _ db: Database
    ) throws -> Int {
        let all = try peers(of: nil, for: run, planned: plan.testCount, now: now, db) {
            !$0.isEmpty
        }
        return all.able > 0 ? all.able : all.sound > 0 ? all.sound : all.aside
    }

    /// Why workers that live get no work of a run that they fit.
    func notes(of run: RunID, now: Milliseconds, _ db: Database) throws -> [Problem] {
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT \(Self.trustColumns), id FROM worker
                    WHERE seen >= ? AND lost IS NULL
                      AND (aside IS NOT NULL OR unfit IS NOT NULL OR doubted >= ?)
                    ORDER BY id LIMIT ?
                    """
            ),
            arguments: [
                Self.liveSince(now), FarmLimits.canaryTestsMax, FarmLimits.workersMax,
            ]
        )
        return try rows.compactMap { row in
            let worker = WorkerID(row["id"] as String)
            let trust = try Self.trust(row)
            let scopes = try scopes(of: worker, trust, in: run, now: now, db)
            let obstacles = scopes.compactMap(\.standing.obstacle)
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
