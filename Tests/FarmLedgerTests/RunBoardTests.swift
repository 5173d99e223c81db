// What claims are decided by lies in memory; these tests hold it against the tables.
import FarmCore
import FarmTesting
import Foundation
import GRDB
import LedgerConformance
import Testing

@testable import FarmLedger

/// A ledger with runs, and what its boards say beside what its tables say.
private struct BoardBench {
    let folder: TemporaryFolder
    let ledger: SQLiteLedger
    let bench: LedgerBench

    init() throws {
        folder = try TemporaryFolder("boards")
        let ledger = try SQLiteLedger(path: folder.file("ledger.sqlite"))
        self.ledger = ledger
        bench = LedgerBench { ledger }
    }

    /// What claims would see of a run, and what they should see.
    func boards(of run: RunID) async throws -> (known: RunBoard?, told: RunBoard) {
        let ledger = ledger
        return try await ledger.group.write { db in
            let told = try RunBoard.read(run, try ledger.plan(run, db), db)
            return (ledger.boards.known(run), told)
        }
    }
}

@Suite("The boards that claims are decided by")
struct RunBoardTests {
    @Test("say what the tables say after any calls in any order", arguments: 0..<6)
    func random(seed: Int) async throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let bench = try BoardBench()
        var runs: [RunID] = []
        for key in ["a", "b"] {
            runs.append(
                try await bench.bench.open(
                    LedgerBench.plan(tests: 9, cells: 4, retries: 2),
                    key: key
                )
            )
        }
        var held: [Lease] = []
        var seen = 0
        for step in 0..<150 {
            let now = Int64(step) * 400
            try await call(step, now, bench, runs, &held, &generator)
            for run in runs {
                let (known, told) = try await bench.boards(of: run)
                guard let known else { continue }
                seen += 1
                #expect(known == told, "seed \(seed), step \(step), run \(run)")
            }
        }
        // Most calls leave the boards where they are: otherwise nothing was compared.
        #expect(seen > 150)
    }

    /// One call that changes the ledger, or means to.
    private func call(
        _ step: Int,
        _ now: Int64,
        _ bench: BoardBench,
        _ runs: [RunID],
        _ held: inout [Lease],
        _ generator: inout SeededGenerator
    ) async throws {
        let worker = "w\(Int.random(in: 0..<5, using: &generator))"
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<8:
            if let lease = try await bench.bench.claim(worker, "\(step)", now: now) {
                held.append(lease)
            }
        case 8..<13:
            guard let lease = held.randomElement(using: &generator) else { return }
            let reports = Self.reports(of: lease, &generator)
            _ = try await bench.bench.report(lease, reports, now: now)
        case 13..<16:
            guard let lease = held.randomElement(using: &generator) else { return }
            let reports = Self.reports(of: lease, &generator)
            _ = try await bench.bench.complete(lease, reporting: reports, now: now)
        case 16:
            guard let lease = held.randomElement(using: &generator) else { return }
            _ = try await bench.ledger.release(lease.token, now: now)
        case 17: try await bench.ledger.takeBack(.lost(WorkerID(worker)), now: now)
        case 18:
            _ = try await bench.ledger.takeBack(.expired, now: now)
            _ = try? await bench.ledger.report(
                LeaseToken(id: LeaseID("nobody"), epoch: 1_000_000),
                [],
                now: now
            )
        default:
            guard step > 100 else {
                try await bench.ledger.takeBack(.restart, now: now)
                return
            }
            try await bench.ledger.close(
                runs[1],
                judged: try await bench.bench.judgement(runs[1], .failed),
                now: now
            )
        }
    }

    /// Of some tests of a lease.
    private static func reports(
        of lease: Lease,
        _ generator: inout SeededGenerator
    ) -> [TestReport] {
        let ends: [TestEnding] = [.passed, .passed, .failed("no")]
        return lease.shard.tests.filter { _ in Bool.random(using: &generator) }.map {
            TestReport(
                test: $0,
                ending: ends.randomElement(using: &generator) ?? .passed,
                seconds: Double.random(in: 0...3, using: &generator)
            )
        }
    }

    @Test("go when a change is taken back")
    func takenBack() async throws {
        let bench = try BoardBench()
        let run = try await bench.bench.open(LedgerBench.plan(tests: 9, cells: 2))
        let lease = try await bench.bench.lease("a", "1")
        #expect(try await bench.boards(of: run).known != nil)
        struct Refused: Error {}
        let ledger = bench.ledger
        await #expect(throws: Refused.self) {
            try await ledger.group.write { db in
                _ = try ledger.end(lease.token.epoch, as: "done", now: 1, db)
                throw Refused()
            }
        }
        let (known, told) = try await bench.boards(of: run)
        #expect(known == nil || known == told)
        #expect(try await bench.bench.lease("b", "2").shard.run == run)
    }

    @Test("go when anybody else writes, over the same connection or another")
    func others() async throws {
        let bench = try BoardBench()
        let run = try await bench.bench.open(LedgerBench.plan(tests: 9, cells: 2))
        let other = try DatabaseQueue(path: bench.folder.file("ledger.sqlite"))
        for writer in [bench.ledger.database, other] as [any DatabaseWriter] {
            _ = try await bench.bench.claim(UUID().uuidString, "1")
            #expect(try await bench.boards(of: run).known != nil)
            try await writer.write {
                try $0.execute(sql: "UPDATE cell_progress SET reports = reports + 1")
            }
            #expect(try await bench.boards(of: run).known == nil)
        }
    }
}
