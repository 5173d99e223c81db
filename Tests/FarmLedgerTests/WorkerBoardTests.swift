// What is at hand of workers and of the order of runs; these tests hold it against the tables. A debug
// build compares both at every claim, so whatever claims here proves the rest, too.
import FarmCore
import FarmTesting
import Foundation
import GRDB
import LedgerConformance
import Testing

@testable import FarmLedger

private struct WorkerBench {
    let folder: TemporaryFolder
    let ledger: SQLiteLedger
    let bench: LedgerBench
    static let workers = (0..<5).map { WorkerID("w\($0)") }

    init() throws {
        let folder = try TemporaryFolder("workers")
        let ledger = try SQLiteLedger(path: folder.file("ledger.sqlite"))
        self.folder = folder
        self.ledger = ledger
        bench = LedgerBench { ledger }
    }

    /// What a change would see of the workers that live, and what the table says.
    func boards(now: Int64) async throws -> (known: WorkerBoard, told: WorkerBoard) {
        let ledger = ledger
        return try await ledger.group.write { db in
            let since = SQLiteLedger.liveSince(now)
            let known = try ledger.boards.workers.board(now: now, db) { $0.living(since: since) }
            return (known, try WorkerBoard.read(since: since, db))
        }
    }

    /// Peers and trust of every worker, as a change or as a reader sees them.
    func standing(now: Int64, inChange: Bool) async throws -> [[String]] {
        let ledger = ledger
        @Sendable func look(_ db: Database) throws -> [[String]] {
            try Self.workers.map { worker in
                let peers = try ledger.peers(of: worker, planned: 40, now: now, db)
                let byOffer = try ledger.peersByOffer(of: worker, planned: 40, now: now, db)
                let trust = try ledger.trust(of: worker, db)
                return ["\(peers)", "\(trust)"]
                    + byOffer.map { "\($0.offer ?? "") \($0.peers)" }.sorted()
            }
        }
        return try await inChange ? ledger.group.write { try look($0) } : ledger.read(look)
    }
}

@Suite("The board of workers")
struct WorkerBoardTests {
    @Test("says what the table says after any calls in any order", arguments: 0..<6)
    func random(seed: Int) async throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let bench = try WorkerBench()
        for key in ["a", "b", "c"] {
            _ = try await bench.bench.open(
                LedgerBench.plan(tests: 60, cells: 2, retries: 3),
                key: key
            )
        }
        var held: [Lease] = []
        for step in 0..<200 {
            // Long silences, so that workers go and come back.
            let now = Int64(step) * 700 + (step > 120 ? 40_000 : 0)
            try await call(step, now, bench, &held, &generator)
            let (known, told) = try await bench.boards(now: now)
            #expect(known == told, "seed \(seed), step \(step)")
            let seen = try await bench.standing(now: now, inChange: true)
            let read = try await bench.standing(now: now, inChange: false)
            #expect(seen == read, "seed \(seed), step \(step)")
        }
    }

    /// One call that changes what is known of workers, or means to.
    private func call(
        _ step: Int,
        _ now: Int64,
        _ bench: WorkerBench,
        _ held: inout [Lease],
        _ generator: inout SeededGenerator
    ) async throws {
        let ledger = bench.ledger
        let worker = WorkerBench.workers.randomElement(using: &generator) ?? WorkerID("w0")
        switch Int.random(in: 0..<16, using: &generator) {
        case 0..<6:
            let lease = try await ledger.claim(
                worker: worker,
                request: "\(step)",
                warm: nil,
                now: now
            )
            if let lease { held.append(lease) }
        case 6..<10:
            guard let lease = held.randomElement(using: &generator) else { return }
            // Two of the workers are broken: some are set aside.
            let isBroken = Bool.random(using: &generator)
            let reports = lease.shard.tests.map {
                TestReport(test: $0, ending: isBroken ? .failed("no") : .passed, seconds: 1)
            }
            _ = try await ledger.complete(
                lease.token,
                reports: reports,
                evidence: LeaseEvidence(job: lease.shard.job.name, cell: lease.shard.cell.id),
                now: now
            )
        case 10:
            let unfit = Problem(code: "c", message: "m.", remedy: "r.")
            try await ledger.assess(
                worker,
                unfit: Bool.random(using: &generator) ? unfit : nil,
                offer: WorkerOffer(),
                beginsAnew: Bool.random(using: &generator),
                now: now
            )
        case 11: try await ledger.workerLost(worker, now: now)
        case 12: try await ledger.locate(worker, on: "host", now: now)
        case 13:
            guard let lease = held.randomElement(using: &generator) else { return }
            _ = try await ledger.renew(lease.token, running: nil, now: now)
        case 14: _ = try await ledger.reap(now: now)
        default:
            if step % 3 == 0 { return try await ledger.takeBackAll(now: now) }
            try await ledger.grantGrace(seconds: 10, now: now)
        }
    }

    @Test("is the same in the next process, after a worker was set aside and after it began anew")
    func restart() async throws {
        let bench = try WorkerBench()
        _ = try await bench.bench.open(LedgerBench.plan(tests: 4))
        _ = try await bench.bench.claim("w0", "1")
        var trust = WorkerTrust()
        for _ in 0..<7 { trust.wasRefuted(WorkerID("w1")) }
        let (ledger, aside) = (bench.ledger, trust)
        try await ledger.hello(WorkerID("w1"), now: 0)
        try await ledger.group.write { try ledger.set(aside, of: WorkerID("w1"), $0) }
        let before = try await bench.boards(now: 1)
        #expect(before.known.entries[WorkerID("w1")]?.trust == aside)
        let next = try SQLiteLedger(path: bench.folder.file("ledger.sqlite"))
        let peers = try await next.group.write {
            try next.peers(of: WorkerID("w0"), planned: 4, now: 1, $0)
        }
        #expect(peers == WorkerPeers(able: 0, sound: 0, aside: 1))
        try await next.assess(WorkerID("w1"), unfit: nil, offer: nil, beginsAnew: true, now: 2)
        // The first process sees what the second wrote.
        let after = try await bench.boards(now: 2)
        #expect(after.known.entries[WorkerID("w1")]?.trust == WorkerTrust())
        #expect(after.known == after.told)
    }

    @Test("goes when a change is taken back")
    func takenBack() async throws {
        let bench = try WorkerBench()
        _ = try await bench.bench.open(LedgerBench.plan(tests: 9))
        let lease = try await bench.bench.lease("w0", "1")
        let before = try await bench.boards(now: 1)
        struct Refused: Error {}
        let ledger = bench.ledger
        await #expect(throws: Refused.self) {
            try await ledger.group.write { db in
                var trust = WorkerTrust()
                trust.failed(now: 1)
                try ledger.set(trust, of: WorkerID("w0"), db)
                _ = try ledger.end(lease.token.epoch, as: "done", now: 1, db)
                throw Refused()
            }
        }
        let after = try await bench.boards(now: 1)
        #expect(after.known == before.known && after.known == after.told)
        // The number of a lease that was taken back may be another's: its tests are not at hand.
        #expect(ledger.boards.leases[lease.token.epoch] == nil)
        #expect(try await bench.bench.complete(lease, now: 1) == .accepted)
    }

    @Test("does not write again within a second that a worker asked")
    func seen() async throws {
        let bench = try WorkerBench()
        _ = try await bench.bench.open(LedgerBench.plan(tests: 1))
        let worker = WorkerID("w0")
        for (number, now) in [0, 1, 999, 1_000, 1_001, 5_000].enumerated() {
            _ = try await bench.ledger.claim(
                worker: worker,
                request: "\(number)",
                warm: nil,
                now: Int64(now)
            )
            let seen = try await bench.ledger.workers(limit: 1).first?.seen
            #expect(seen == (now < 1_000 ? 0 : now < 5_000 ? 1_000 : 5_000), "at \(now)")
        }
        // Who was lost and asks is back at once.
        try await bench.ledger.workerLost(worker, now: 5_001)
        _ = try await bench.ledger.claim(worker: worker, request: "b", warm: nil, now: 5_002)
        #expect(try await bench.ledger.workers(limit: 1).first?.isLost == false)
    }
}
