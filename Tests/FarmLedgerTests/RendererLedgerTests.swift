import FarmCore
import FarmLedger
import FarmTesting
import Foundation
import LedgerConformance
import Testing

/// Random orders of workers that come, fall silent, are lost, unfit or sick, over cells whose
/// references several renderers drew.
@Suite("Renderers of workers in random orders")
struct RendererLedgerTests {
    private static let browsers = ["148", "149", nil]
    private static let runs = 25

    /// The state of a worker, kept without asking the ledger.
    private struct Known {
        var browser: String?
        var seen: Int64 = 0
        var isFit = true
        var failures = 0
        var lease: Lease?
    }

    @Test("no order of lost and joined workers stalls a run; who draws otherwise waits its turn")
    func orders() async throws {
        var random = SeededGenerator.announced()
        for number in 0..<Self.runs { try await order(number, &random) }
    }

    private func order(_ number: Int, _ random: inout SeededGenerator) async throws {
        let folder = try TemporaryFolder("renderers")
        let ledger = try SQLiteLedger(path: folder.file("ledger.sqlite"))
        var plan = LedgerBench.plan(
            tests: Int.random(in: 2...12, using: &random),
            cells: 3,
            retries: Int.random(in: 0...2, using: &random)
        )
        let drawn = ["148", "149", "150"]
        plan.drawn = (0..<2).map { cell in
            DrawnReferences(
                job: plan.jobs[0].job.name,
                cells: [CellID("c\(cell)")],
                renderers: [["browser": drawn.randomElement(using: &random) ?? "148"]]
            )
        }
        let run = try await ledger.openRun(
            NewRun(key: "r", facts: RunFacts.plain("r"), plan: plan),
            now: 0
        )
        var workers: [WorkerID: Known] = [:]
        var now: Int64 = 0
        for step in 0..<150 {
            now += Int64.random(in: 0...8_000, using: &random)
            try await ledger.takeBack(.expired, now: now)
            let id = WorkerID("w\(Int.random(in: 0..<5, using: &random))")
            switch Int.random(in: 0..<10, using: &random) {
            case 0, 1:
                let browser = Self.browsers.randomElement(using: &random) ?? nil
                try await come(id, browser, ledger, now, &workers)
            case 2:
                try await ledger.takeBack(.lost(id), now: now)
                workers[id] = nil
            case 3 where workers[id] != nil:
                let problem = Problem(code: "worker-unfit", message: "no.", remedy: "")
                try await ledger.registerWorker(id, unfit: problem, beginsAnew: false, now: now)
                workers[id]?.isFit = false
                workers[id]?.seen = now
            case _ where workers[id] != nil:
                try await work(id, "\(step)", plan, ledger, now, &workers, &random)
            default: break
            }
        }
        // Calm: those that live go on, and one more of any browser comes.
        let last = Self.browsers.randomElement(using: &random) ?? nil
        now += 1
        try await come(WorkerID("last"), last, ledger, now, &workers)
        for step in 0..<600 {
            now += 1_000
            try await ledger.takeBack(.expired, now: now)
            if try await ledger.finishedRuns() == [run] { return }
            let name = "calm\(step)"
            try await work(WorkerID("last"), name, plan, ledger, now, &workers, &random)
        }
        let progress = try await ledger.progress(run, now: now)
        Issue.record("seed \(random.seed), run \(number) stalls: \(progress)")
    }

    private func come(
        _ id: WorkerID,
        _ browser: String?,
        _ ledger: SQLiteLedger,
        _ now: Int64,
        _ workers: inout [WorkerID: Known]
    ) async throws {
        var offer = WorkerOffer()
        if let browser { try offer.add(renderer: ["browser": browser], of: "command") }
        try await ledger.takeBack(.lost(id), now: now)
        try await ledger.registerWorker(id, unfit: nil, offer: offer, beginsAnew: true, now: now)
        workers[id] = Known(browser: browser, seen: now)
    }

    /// Lets a worker claim, or end the lease that it has.
    private func work(
        _ id: WorkerID,
        _ name: String,
        _ plan: Plan,
        _ ledger: SQLiteLedger,
        _ now: Int64,
        _ workers: inout [WorkerID: Known],
        _ random: inout SeededGenerator
    ) async throws {
        if let lease = workers[id]?.lease {
            workers[id]?.lease = nil
            let fails = Int.random(in: 0..<4, using: &random) == 0
            let reports = lease.shard.tests.map {
                fails ? LedgerBench.failed($0) : LedgerBench.passed($0)
            }
            if fails { workers[id]?.failures += reports.count }
            _ = try await ledger.complete(
                lease.token,
                reports: reports,
                evidence: LeaseEvidence(job: lease.shard.job.name, cell: lease.shard.cell.id),
                now: now
            )
            return
        }
        workers[id]?.seen = now
        let lease = try await ledger.claim(
            worker: id,
            request: "\(id) \(name)",
            warm: nil,
            now: now
        )
        guard let lease else { return }
        workers[id]?.lease = lease
        let wanted = plan.drawn?.first { $0.cells.contains(lease.shard.cell.id) }
            .flatMap { $0.renderers.first?["browser"] }
        guard let wanted, let own = workers[id]?.browser, own != wanted else { return }
        let better = workers.filter { other in
            other.value.browser == wanted && other.value.isFit
                && other.value.failures < FarmLimits.unprovenTestsMax
                && now - other.value.seen <= LedgerBench.leaseMilliseconds
        }
        #expect(better.isEmpty, "seed \(random.seed): \(id) with \(own) got \(wanted), \(better)")
    }
}
