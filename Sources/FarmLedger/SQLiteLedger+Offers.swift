// Which worker fits which cell. A plan without needs costs nothing; otherwise workers are counted by
// their offers, which are few.
import FarmCore
import Foundation
import GRDB

/// Cells of a run that a worker fits, and that the same other workers fit.
struct ClaimScope {
    let worker: WorkerID
    let health: WorkerHealth
    let standing: WorkerStanding
    let peers: WorkerPeers
    /// Nil: every cell.
    let kinds: (needs: PlanNeeds, fitting: Set<Int>)?

    func has(_ position: (job: Int, cell: Int)) -> Bool {
        guard let kinds else { return true }
        return kinds.fitting.contains(kinds.needs.kind(job: position.job, cell: position.cell))
    }

    /// Whose failures are for others: with nobody else to take it, a worker may repeat its own test.
    var avoid: String { standing.hasOthers ? worker.text : "" }

    /// Test cases that one lease may have; where nobody could do it better, all.
    func sizeMax(planned: Int) -> Int {
        standing.hasOthers ? health.leaseMax(planned: planned) : FarmLimits.testsPerLeaseMax
    }

    /// That share these cells.
    var workers: Int { peers.able + 1 }
}

extension ClaimChoice {
    /// In which list of cells its own is.
    func place(in waiting: [[WaitingCell]]) -> Int? {
        waiting.firstIndex { cells in cells.contains { $0.job == job && $0.cell == cell } }
    }
}

/// Why no live worker may run some cells of a run.
struct Unplaceable {
    let needs: PlanNeeds
    /// By kind; none for a kind that somebody fits.
    let reasons: [Int: String]

    func reason(job: Int, cell: Int) -> String? { reasons[needs.kind(job: job, cell: cell)] }
}

extension SQLiteLedger {
    // MARK: offers

    /// Keeps an offer once, however many workers make it; returns its digest.
    func keep(_ offer: WorkerOffer, _ db: Database) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let content = try encoder.encode(offer)
        let digest = Digest(of: content).hex
        try db.executeKept(
            sql: "INSERT OR IGNORE INTO offer (digest, content) VALUES (?, ?)",
            arguments: [digest, content]
        )
        return digest
    }

    /// What an offer's digest stands for; a worker that said nothing offers nothing.
    func offer(_ digest: String?, _ db: Database) throws -> WorkerOffer {
        guard let digest else { return WorkerOffer() }
        let content = try Data.fetchOne(
            db.cachedStatement(sql: "SELECT content FROM offer WHERE digest = ?"),
            arguments: [digest]
        )
        guard let content else { throw LedgerError.damaged("offer \(digest) is gone") }
        return try Self.decode(WorkerOffer.self, content)
    }

    private func offerDigest(of worker: WorkerID, _ db: Database) throws -> String? {
        let select = try db.cachedStatement(sql: "SELECT offer FROM worker WHERE id = ?")
        guard let row = try Row.fetchOne(select, arguments: [worker.text]) else { return nil }
        return row[0] as String?
    }

    // MARK: who fits

    /// What a worker may take of a run, parted by who else may; none where it fits no cell.
    func scopes(
        of worker: WorkerID,
        _ health: WorkerHealth,
        in run: RunID,
        now: Milliseconds,
        _ db: Database
    ) throws -> [ClaimScope] {
        let planned = try plan(run, db).testCount
        func scope(
            _ peers: WorkerPeers,
            _ kinds: (needs: PlanNeeds, fitting: Set<Int>)?
        ) -> ClaimScope {
            let peers = coming.among(peers, now: now)
            return ClaimScope(
                worker: worker,
                health: health,
                standing: WorkerStanding(worker, health, peers: peers, planned: planned, now: now),
                peers: peers,
                kinds: kinds
            )
        }
        guard let needs = try needs(of: run, db) else {
            return [scope(try peers(of: worker, planned: planned, now: now, db), nil)]
        }
        let own = needs.kinds(fitting: try offer(try offerDigest(of: worker, db), db))
        guard !own.isEmpty else { return [] }
        let others = try peersByOffer(of: worker, planned: planned, now: now, db).map { other in
            (needs.kinds(fitting: try offer(other.offer, db)), other.peers)
        }
        var parts: [(peers: WorkerPeers, kinds: Set<Int>)] = []
        for kind in own.sorted() {
            let peers = others.filter { $0.0.contains(kind) }.reduce(WorkerPeers.none) { $0 + $1.1 }
            if let place = parts.firstIndex(where: { $0.peers == peers }) {
                parts[place].kinds.insert(kind)
            } else {
                parts.append((peers, [kind]))
            }
        }
        return parts.map { scope($0.peers, (needs, $0.kinds)) }
    }

    /// Live workers beside one, of those whose kinds of a run's cells `isCounted`.
    func peers(
        of worker: WorkerID?,
        for run: RunID,
        planned: Int,
        now: Milliseconds,
        _ db: Database,
        isCounted: (Set<Int>) -> Bool
    ) throws -> WorkerPeers {
        guard let needs = try needs(of: run, db) else {
            return try peers(of: worker, planned: planned, now: now, db)
        }
        var sum = WorkerPeers.none
        for other in try peersByOffer(of: worker, planned: planned, now: now, db)
        where isCounted(needs.kinds(fitting: try offer(other.offer, db))) {
            sum = sum + other.peers
        }
        return sum
    }

    /// The workers beside a lease's own that fit its cell: only they can have a second look.
    func peers(beside lease: LeaseFacts, now: Milliseconds, _ db: Database) throws -> WorkerPeers {
        let kind = try needs(of: lease.run, db)?.kind(job: lease.job, cell: lease.cell)
        let here = try peers(
            of: lease.worker,
            for: lease.run,
            planned: lease.testCount,
            now: now,
            db
        ) { kinds in kind.map { kinds.contains($0) } ?? true }
        return coming.among(here, now: now)
    }

    // MARK: who does not

    /// Why cells of a run wait for a worker that is not there; nil where some live worker fits each,
    /// or none lives.
    func unplaceable(_ run: RunID, now: Milliseconds, _ db: Database) throws -> Unplaceable? {
        guard let needs = try needs(of: run, db) else { return nil }
        // One worker of each offer stands for all.
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT offer, min(id) AS id FROM worker WHERE seen >= ? AND lost IS NULL
                    GROUP BY offer
                    """
            ),
            arguments: [Self.liveSince(now)]
        )
        var missing = Set(needs.kinds.indices)
        for row in rows {
            missing.subtract(needs.kinds(fitting: try offer(row["offer"], db)))
        }
        guard !missing.isEmpty, !rows.isEmpty else { return nil }
        let workers = try rows.map { row in
            OfferingWorker(WorkerID(row["id"] as String), try offer(row["offer"], db))
        }
        var reasons: [Int: String] = [:]
        for kind in missing {
            reasons[kind] = OfferMatch.reason(needs.kinds[kind], among: workers)
        }
        return Unplaceable(needs: needs, reasons: reasons)
    }

    /// Why a worker gets nothing of a run none of whose cells it fits.
    func misfit(of worker: WorkerID, in run: RunID, _ db: Database) throws -> Problem? {
        guard let needs = try needs(of: run, db) else { return nil }
        let own = try offer(try offerDigest(of: worker, db), db)
        let missing = needs.kinds.map { ($0, OfferMatch.misses(of: $0, in: own)) }
        return missing.min { $0.1.count < $1.1.count }.map { needs, misses in
            .fitsNothing(worker, of: run, needs, misses)
        }
    }
}
