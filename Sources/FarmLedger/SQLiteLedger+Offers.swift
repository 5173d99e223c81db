// Which worker fits which cell. A plan without needs costs nothing: one look at what is known of
// it. Otherwise workers are counted by their offers, which are few, and an offer is matched with a
// plan's needs once.
import FarmCore
import Foundation
import GRDB
import Synchronization

/// Offers and plans that were looked at.
///
/// Everything in it follows from what never changes: an offer is known by its digest, a plan by its
/// run.
final class KnownOffers: Sendable {
    private struct KnownRun {
        /// Nil: no cell needs anything.
        var needs: PlanNeeds?
        /// By the digest of an offer.
        var fitting: [String: Set<Int>] = [:]
    }
    private struct State {
        var runs: [RunID: KnownRun] = [:]
        var offers: [String: WorkerOffer] = [:]
    }
    private let state = Mutex(State())

    func needs(of run: RunID, _ plan: () throws -> Plan) throws -> PlanNeeds? {
        if let known = state.withLock({ $0.runs[run] }) { return known.needs }
        let needs = PlanNeeds(try plan())
        state.withLock { state in
            if state.runs.count >= FarmLimits.offersKnownMax { state.runs = [:] }
            state.runs[run] = KnownRun(needs: needs)
        }
        return needs
    }

    func offer(_ digest: String, _ read: () throws -> WorkerOffer) throws -> WorkerOffer {
        if let known = state.withLock({ $0.offers[digest] }) { return known }
        let offer = try read()
        state.withLock { state in
            if state.offers.count >= FarmLimits.offersKnownMax { state.offers = [:] }
            state.offers[digest] = offer
        }
        return offer
    }

    func fitting(_ digest: String, _ run: RunID, _ match: () throws -> Set<Int>) throws -> Set<Int>
    {
        if let known = state.withLock({ $0.runs[run]?.fitting[digest] }) { return known }
        let kinds = try match()
        state.withLock { state in
            if state.runs[run]?.fitting.count ?? 0 >= FarmLimits.offersKnownMax {
                state.runs[run]?.fitting = [:]
            }
            state.runs[run]?.fitting[digest] = kinds
        }
        return kinds
    }
}

/// Cells of a run that a worker fits, and that the same other workers fit.
struct ClaimScope {
    let worker: WorkerID
    let trust: WorkerTrust
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
    ///
    /// A worker that `hasLease` waits for the answer to what it reports of that one.
    func sizeMax(planned: Int, hasLease: Bool) -> Int {
        standing.hasOthers
            ? trust.leaseMax(planned: planned, hasLease: hasLease) : FarmLimits.testsPerLeaseMax
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
        return try offers.offer(digest) {
            let content = try Data.fetchOne(
                db.cachedStatement(sql: "SELECT content FROM offer WHERE digest = ?"),
                arguments: [digest]
            )
            guard let content else { throw LedgerError.damaged("offer \(digest) is gone") }
            return try Self.decode(WorkerOffer.self, content)
        }
    }

    private func offerDigest(of worker: WorkerID, _ db: Database) throws -> String? {
        let select = try db.cachedStatement(sql: "SELECT offer FROM worker WHERE id = ?")
        guard let row = try Row.fetchOne(select, arguments: [worker.text]) else { return nil }
        return row[0] as String?
    }

    // MARK: who fits

    /// What the cells of a run need; nil where none needs anything.
    func needs(of run: RunID, _ db: Database) throws -> PlanNeeds? {
        try offers.needs(of: run) { try plan(run, db) }
    }

    private func kinds(
        fitting digest: String?,
        of run: RunID,
        _ needs: PlanNeeds,
        _ db: Database
    ) throws -> Set<Int> {
        try offers.fitting(digest ?? "", run) { needs.kinds(fitting: try offer(digest, db)) }
    }

    /// What a worker may take of a run, parted by who else may; none where it fits no cell.
    func scopes(
        of worker: WorkerID,
        _ trust: WorkerTrust,
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
                trust: trust,
                standing: WorkerStanding(worker, trust, peers: peers, planned: planned, now: now),
                peers: peers,
                kinds: kinds
            )
        }
        guard let needs = try needs(of: run, db) else {
            return [scope(try peers(of: worker, planned: planned, now: now, db), nil)]
        }
        let own = try kinds(fitting: try offerDigest(of: worker, db), of: run, needs, db)
        guard !own.isEmpty else { return [] }
        let others = try peersByOffer(of: worker, planned: planned, now: now, db).map { other in
            (try kinds(fitting: other.offer, of: run, needs, db), other.peers)
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
        where isCounted(try kinds(fitting: other.offer, of: run, needs, db)) {
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
            missing.subtract(try kinds(fitting: row["offer"], of: run, needs, db))
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
