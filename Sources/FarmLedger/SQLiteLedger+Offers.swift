// The match of workers and cells. A plan without needs takes no time; otherwise workers are counted
// by their offers, and there are few different ones.
import FarmCore
import Foundation
import GRDB

/// Cells of a run that the claiming worker fits, and that the same other workers fit, too.
struct ClaimScope {
    let worker: WorkerID
    let health: WorkerHealth
    let standing: WorkerStanding
    let peers: WorkerPeers
    /// The kinds of needs of these cells, or `nil` if the worker fits every cell of the run.
    let kinds: (needs: PlanNeeds, fitting: Set<Int>)?

    func has(_ position: (job: Int, cell: Int)) -> Bool {
        guard let kinds else { return true }
        return kinds.fitting.contains(kinds.needs.kind(job: position.job, cell: position.cell))
    }

    /// The id of the worker whose failed tests this claim must not get: the claiming worker, or
    /// empty if no other worker could run these tests.
    var avoid: String { standing.hasOthers ? worker.text : "" }

    /// Returns the most test cases for this worker's next lease; the limit of all leases if no
    /// other worker could do better.
    func sizeMax(planned: Int) -> Int {
        standing.hasOthers ? health.leaseMax(planned: planned) : FarmLimits.testsPerLeaseMax
    }

    /// The number of workers that share these cells, the claiming one included.
    var workers: Int { peers.able + 1 }
}

extension ClaimChoice {
    /// Returns the index of the list that has the chosen cell, or `nil` if no list has it.
    func place(in waiting: [[WaitingCell]]) -> Int? {
        waiting.firstIndex { cells in cells.contains { $0.job == job && $0.cell == cell } }
    }
}

/// The cells of a run that no live worker can run, with the reasons.
struct Unplaceable {
    let needs: PlanNeeds
    /// The reason for each kind of needs that no live worker fits.
    let reasons: [Int: String]

    func reason(job: Int, cell: Int) -> String? { reasons[needs.kind(job: job, cell: cell)] }
}

extension SQLiteLedger {
    // MARK: offers

    /// Stores an offer unless it is stored already, and returns its digest.
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

    /// Returns the stored offer with a digest; for `nil`, an empty offer.
    ///
    /// - Throws: `LedgerError.damaged` if no offer has the digest.
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

    // MARK: fitting workers

    /// Returns the cells of a run that a worker may take, grouped by the other workers that may take
    /// the same cells; empty if there are none.
    func scopes(
        of worker: WorkerID,
        _ health: WorkerHealth,
        in run: RunID,
        now: Milliseconds,
        _ db: Database
    ) throws -> [ClaimScope] {
        let plan = try plan(run, db)
        let (pipeline, planned) = (plan.pipeline, plan.testCount)
        guard try reaches(worker, pipeline, db) else { return [] }
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
            let peers = try peers(
                of: worker,
                planned: planned,
                pipeline: pipeline,
                now: now,
                db
            )
            return [scope(peers, nil)]
        }
        let held = try held(needs, of: plan, now: now, db)
        let own = needs.kinds(for: try offer(try offerDigest(of: worker, db), db), beside: held)
        guard !own.isEmpty else { return [] }
        let others = try peersByOffer(
            of: worker,
            planned: planned,
            pipeline: pipeline,
            now: now,
            db
        ).map { other in
            (needs.kinds(for: try offer(other.offer, db), beside: held), other.peers)
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

    /// Returns the counts of the live workers beside `worker` that may take kinds of cells for which
    /// `isCounted` is true.
    func peers(
        of worker: WorkerID?,
        for run: RunID,
        planned: Int,
        now: Milliseconds,
        _ db: Database,
        isCounted: (Set<Int>) -> Bool
    ) throws -> WorkerPeers {
        guard let needs = try needs(of: run, db) else {
            let pipeline = try plan(run, db).pipeline
            return try peers(of: worker, planned: planned, pipeline: pipeline, now: now, db)
        }
        let plan = try plan(run, db)
        let held = try held(needs, of: plan, now: now, db)
        var sum = WorkerPeers.none
        for other in try peersByOffer(
            of: worker,
            planned: planned,
            pipeline: plan.pipeline,
            now: now,
            db
        )
        where isCounted(needs.kinds(for: try offer(other.offer, db), beside: held)) {
            sum = sum + other.peers
        }
        return sum
    }

    /// Returns the counts of the other workers that may take a lease's cell: only they can repeat
    /// its tests.
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

    // MARK: renderers

    /// Returns the kinds of cells that a live worker draws as their references are drawn, unless
    /// it is unfit or suspended; who draws otherwise gets none of them.
    private func held(
        _ needs: PlanNeeds,
        of plan: Plan,
        now: Milliseconds,
        _ db: Database
    ) throws -> Set<Int> {
        guard needs.hasRenderers else { return [] }
        let live = try peersByOffer(
            of: nil,
            planned: plan.testCount,
            pipeline: plan.pipeline,
            now: now,
            db
        )
        return needs.held(
            by: try live.filter { $0.peers.able > 0 }.map { try offer($0.offer, db) }
        )
    }

    /// Returns whether only a lease's worker draws its cell as the references are drawn, so that
    /// no other worker can confirm a change.
    func drawsAlone(_ lease: LeaseFacts, now: Milliseconds, _ db: Database) throws -> Bool {
        guard let needs = try needs(of: lease.run, db), needs.hasRenderers else { return false }
        return try held(needs, of: try plan(lease.run, db), now: now, db)
            .contains(needs.kind(job: lease.job, cell: lease.cell))
            && peers(beside: lease, now: now, db).able == 0
    }

    private func liveOffers(
        for plan: Plan,
        now: Milliseconds,
        _ db: Database
    ) throws -> [LiveOffer] {
        try peersByOffer(
            of: nil,
            planned: plan.testCount,
            pipeline: plan.pipeline,
            now: now,
            db
        ).map { live in
            LiveOffer(
                live.first,
                others: live.peers.able + live.peers.suspended - 1,
                isAble: live.peers.able > 0,
                offer: try offer(live.offer, db)
            )
        }
    }

    /// Returns the problems of live workers that draw open cells otherwise than their references.
    ///
    /// `open` are the positions of the cells in the plan.
    func drawingProblems(
        of run: RunID,
        open: [(job: Int, cell: Int)],
        now: Milliseconds,
        _ db: Database
    ) throws -> [Problem] {
        guard let needs = try needs(of: run, db), needs.hasRenderers else { return [] }
        let plan = try plan(run, db)
        let live = try liveOffers(for: plan, now: now, db)
        let kinds = Dictionary(grouping: open) { needs.kind(job: $0.job, cell: $0.cell) }
        return try kinds.sorted { $0.key < $1.key }.flatMap { kind, cells in
            let cells = try Self.words(cells, plan)
            return needs.drawingProblems(kind, cells, of: live, among: live)
        }
    }

    private static func words(_ cells: [(job: Int, cell: Int)], _ plan: Plan) throws -> String {
        guard let first = cells.first else { return "" }
        let place = try place(in: plan, job: first.job, cell: first.cell)
        return "\(place.job.name) on \(place.cell.id)"
            + (cells.count > 1 ? " and \(cells.count - 1) more cells" : "")
    }

    // MARK: missing workers

    /// Returns the cells of a run that no live worker fits, with the reasons.
    ///
    /// Returns `nil` if a live worker fits each cell, or if no worker lives.
    func unplaceable(_ run: RunID, now: Milliseconds, _ db: Database) throws -> Unplaceable? {
        guard let needs = try needs(of: run, db) else { return nil }
        let pipeline = try plan(run, db).pipeline
        // One worker of each offer stands for all with the same offer.
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT offer, pipelines, min(id) AS id FROM worker
                    WHERE seen >= ? AND lost IS NULL GROUP BY offer, pipelines
                    """
            ),
            arguments: [Self.liveSince(now)]
        ).filter { Self.reach($0["pipelines"]).reaches(pipeline) }
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

    /// Returns the problem of a worker that may take no cell of a run, or `nil` if the run's cells
    /// need nothing.
    func misfit(
        of worker: WorkerID,
        in run: RunID,
        now: Milliseconds,
        _ db: Database
    ) throws -> Problem? {
        guard let needs = try needs(of: run, db) else { return nil }
        let own = try offer(try offerDigest(of: worker, db), db)
        let missing = needs.kinds.indices.map { kind in
            (kind: kind, misses: OfferMatch.misses(of: needs.kinds[kind], in: own))
        }
        guard let nearest = missing.min(by: { $0.misses.count < $1.misses.count }) else {
            return nil
        }
        guard nearest.misses.isEmpty else {
            return .fitsNothing(worker, of: run, needs.kinds[nearest.kind], nearest.misses)
        }
        let plan = try plan(run, db)
        return needs.drawingProblems(
            nearest.kind,
            "run \(run)'s cells",
            of: [LiveOffer(worker, offer: own)],
            among: try liveOffers(for: plan, now: now, db)
        ).first
    }
}
