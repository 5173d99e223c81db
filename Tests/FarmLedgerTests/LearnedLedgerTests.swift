// Tests of claims by learned costs in a real ledger: the rules that `ScheduleSimulationTests`
// simulates, here with counters in SQLite and workers that take the learned times.
import FarmCore
import FarmTesting
import Foundation
import GRDB
import LedgerConformance
import Testing

@testable import FarmLedger

@Suite("A ledger that knows what tests cost")
struct LearnedLedgerTests {
    private let ledger: SQLiteLedger

    init() throws {
        ledger = try SQLiteLedger(over: try DatabaseQueue(), path: "memory")
    }

    private func open(
        _ cells: [ScheduleCell],
        id: String = "r",
        knows: Bool = true,
        priority: Int = 0,
        timeouts: JobTimeouts = JobTimeouts(),
        now: Int64 = 0
    ) async throws -> RunID {
        // Each cell is a job of its own, because their tests may differ.
        let jobs = cells.enumerated().map { index, cell in
            PlannedJob(
                job: Job(
                    name: JobName("j\(index)"),
                    kind: .unit,
                    driver: DriverSettings("command", ["discover": "d", "run": "r"]),
                    timeouts: timeouts,
                    cells: [Cell(id: cell.key.cell, device: nil, variant: [])]
                ),
                tests: cell.costs.indices.map { TestID("t\($0)") },
                prepared: [:]
            )
        }
        let plan = Plan(
            pipeline: "p",
            mode: .verify,
            filtered: false,
            pin: ReferencePin(),
            jobs: jobs,
            workTree: "/"
        )
        let costs = PlanCosts(
            cells: cells.map { [CellCosts(start: $0.start.cold, tests: $0.costs)] }
        )
        #expect(costs.fits(plan))
        let facts = RunFacts.plain(id)
        return try await ledger.openRun(
            NewRun(
                key: id,
                facts: facts,
                plan: plan,
                costs: knows ? costs : nil,
                priority: priority
            ),
            now: now
        )
    }

    private func cell(_ name: String, start: Int = 0, _ costs: [Int]) -> ScheduleCell {
        ScheduleCell(
            key: CellKey(job: JobName("j"), cell: CellID(name)),
            start: LeaseStart(warm: 0, cold: start),
            costs: costs
        )
    }

    private func claim(_ worker: String, _ request: String, now: Int64) async throws -> Lease? {
        try await ledger.claim(worker: WorkerID(worker), request: request, warm: nil, now: now)
    }

    @Test("the longest test is leased first, and the plan's order is kept for the judge")
    func longestFirst() async throws {
        let second = 1_000_000
        let run = try await open([cell("a", [second, 9 * second, 2 * second, 8 * second])])
        let first = try #require(try await claim("w", "1", now: 1))
        #expect(first.shard.tests.first == TestID("t1"))
        let names = try await ledger.evidence(run).tests.map(\.key.test.text)
        #expect(names == ["t0", "t1", "t2", "t3"])
    }

    @Test("a lease is cut to take half of its shard's time")
    func shardTime() async throws {
        let costs = Array(repeating: 30_000_000, count: 20)
        _ = try await open([cell("a", costs)], timeouts: JobTimeouts(shardSeconds: 200))
        let lease = try #require(try await claim("w", "1", now: 1))
        #expect(lease.shard.tests.count == 3)
    }

    @Test("what waits behind a straggler is taken also where starting takes longer than all of it")
    func behindStraggler() async throws {
        let run = try await open([
            cell("slow", start: 1_000_000, [10_000, 10_000, 10_000]), cell("quick", [10_000]),
        ])
        func pass(_ lease: Lease, now: Int64) async throws {
            let tests = lease.shard.tests
            let reports = tests.map { TestReport(test: $0, ending: .passed, seconds: 0.01) }
            let evidence = LeaseEvidence(job: lease.shard.job.name, cell: lease.shard.cell.id)
            _ = try await ledger.complete(
                lease.token,
                reports: reports,
                evidence: evidence,
                now: now
            )
        }
        let late = try #require(try await claim("w", "1", now: 1))
        let hung = try #require(late.shard.tests.first)
        try #require(late.shard.tests.count == 3)
        try await pass(try #require(try await claim("x", "1", now: 1)), now: 2)
        // No second worker is needed while the first will soon go on; a hanging one will not.
        #expect(try await claim("x", "2", now: 3) == nil)
        _ = try await ledger.renew(late.token, running: hung, now: 10_000)
        #expect(try await ledger.trimStragglers(now: 10_001).map(\.test) == [hung])
        var freed: [TestID] = []
        while let lease = try await claim("x", "\(freed.count)-late", now: 10_001) {
            freed += lease.shard.tests
            try await pass(lease, now: 10_001)
        }
        #expect(Set(freed) == Set(late.shard.tests.dropFirst()))
        #expect(try await ledger.progress(run, now: 10_001).done == 3)
    }

    @Test("without costs the order of leases is the plan's")
    func unknown() async throws {
        _ = try await open([cell("a", [1, 9, 2, 8])], knows: false)
        let first = try #require(try await claim("w", "1", now: 1))
        #expect(first.shard.tests.first == TestID("t0"))
    }

    @Test(
        "what the leases of a run took to start is what its next leases are cut by",
        // The second lease gets half of the tests that the first leaves, or all of them.
        arguments: [(nil, 2), (MeasuredStart(seconds: 60, isWarm: true), 1)]
    )
    func measuredStarts(start: MeasuredStart?, parts: Int) async throws {
        _ = try await open([cell("a", Array(repeating: 1_000_000, count: 300))])
        let first = try #require(try await claim("w", "1", now: 1))
        let tests = first.shard.tests
        let evidence = LeaseEvidence(
            job: first.shard.job.name,
            cell: first.shard.cell.id,
            start: start
        )
        _ = try await ledger.complete(
            first.token,
            reports: tests.map { TestReport(test: $0, ending: .passed, seconds: 1) },
            evidence: evidence,
            now: 2
        )
        let next = try await claim("w", "2", now: 3)?.shard.tests.count
        #expect(next == (300 - tests.count) / parts)
    }

    @Test("the more important run is served first; equal ones share")
    func turns() async throws {
        let costs = Array(repeating: 2_000_000, count: 40)
        _ = try await open([cell("a", costs)], id: "old", now: 1)
        _ = try await open([cell("a", costs)], id: "new", now: 2)
        var served: [String] = []
        for number in 0..<4 {
            served.append(
                try #require(try await claim("w\(number)", "\(number)", now: 3)).shard.run.text
            )
        }
        #expect(served == ["old", "new", "old", "new"])
        _ = try await open([cell("a", costs)], id: "urgent", priority: 5, now: 4)
        #expect(try await claim("w9", "9", now: 5)?.shard.run.text == "urgent")
    }

    @Test(
        "claims from counters end a run when claims from exact sums would",
        arguments: [(4, 0), (8, 0), (8, 30_000_000)]
    )
    func makespan(workers: Int, start: Int) async throws {
        // One fixed draw; `ScheduleSimulationTests` covers others.
        var random = SeededGenerator(seed: 20_261_122)
        // Heavy tails: a Pareto distribution between a third of a second and a minute.
        let cells = (0..<6).map { index in
            cell(
                "c\(index)",
                start: start,
                (0..<40).map { _ in
                    let share = Double.random(in: 0.001...1, using: &random)
                    return Int(min(60, 0.3 / pow(share, 1 / 1.3)) * 1_000_000)
                }
            )
        }
        let exact = cells.map(Self.longestFirst)
        let ideal = ScheduleSimulation.simulate(exact, workers: workers, rule: .learned)
        let finish = try await work(try await open(cells), cells, workers: workers)
        #expect(finish >= ideal.lowerBound)
        #expect(Double(finish) <= 1.03 * Double(ideal.finish))
    }

    private static func longestFirst(_ cell: ScheduleCell) -> ScheduleCell {
        var cell = cell
        cell.costs.sort(by: >)
        return cell
    }

    private struct Running {
        var end: Int
        var worker: Int
        var lease: Lease
    }

    /// Workers that take the learned times.
    private struct Workers {
        var running: [Running] = []
        var warm: [Int: CellID] = [:]
        /// The cell of each worker's running lease.
        var at: [Int: CellID] = [:]
        var requests = 0
    }

    /// Works until the run has ended; returns the time in microseconds.
    private func work(_ run: RunID, _ cells: [ScheduleCell], workers: Int) async throws -> Int {
        var all = Workers()
        var idle = Array(0..<workers)
        var now = 0
        for worker in 0..<workers {
            let id = WorkerID("w\(worker)")
            try await ledger.registerWorker(id, unfit: nil, beginsAnew: true, now: 0)
        }
        while try await !ledger.finishedRuns().contains(run) {
            let asking = idle.sorted()
            idle = []
            for worker in asking {
                if let lease = try await claim(worker, &all, now) {
                    try begin(lease, worker, cells, &all, now)
                } else {
                    idle.append(worker)
                }
            }
            let first = all.running.indices.min { left, right in
                (all.running[left].end, all.running[left].worker)
                    < (all.running[right].end, all.running[right].worker)
            }
            let place = try #require(first, "nothing runs, and nothing is done")
            let lease = all.running.remove(at: place)
            now = lease.end
            try await end(lease, cells, Int64(now / 1000))
            for other in all.running.map(\.lease) {
                _ = try await ledger.renew(other.token, running: nil, now: Int64(now / 1000))
            }
            idle.append(lease.worker)
        }
        return now
    }

    private func claim(_ worker: Int, _ all: inout Workers, _ now: Int) async throws -> Lease? {
        all.requests += 1
        let lease = try await ledger.claim(
            worker: WorkerID("w\(worker)"),
            request: "\(all.requests)",
            warm: all.warm[worker],
            now: Int64(now / 1000)
        )
        if let lease { all.warm[worker] = lease.shard.cell.id }
        return lease
    }

    private func begin(
        _ lease: Lease,
        _ worker: Int,
        _ cells: [ScheduleCell],
        _ all: inout Workers,
        _ now: Int
    ) throws {
        let (cell, costs) = try facts(lease, cells)
        let begins = all.at[worker] == cell.key.cell ? 0 : cell.start.cold
        all.at[worker] = cell.key.cell
        let end = now + ScheduleSimulation.leaseCost + begins + costs.reduce(0, +)
        all.running.append(Running(end: end, worker: worker, lease: lease))
    }

    private func facts(
        _ lease: Lease,
        _ cells: [ScheduleCell]
    ) throws -> (cell: ScheduleCell, costs: [Int]) {
        let cell = try #require(cells.first { $0.key.cell == lease.shard.cell.id })
        let places = lease.shard.tests.compactMap { Int($0.text.dropFirst()) }
        return (cell, places.map { cell.costs[$0] })
    }

    private func end(_ done: Running, _ cells: [ScheduleCell], _ now: Int64) async throws {
        let costs = try facts(done.lease, cells).costs
        let reports = zip(done.lease.shard.tests, costs).map { test, cost in
            TestReport(test: test, ending: .passed, seconds: Double(cost) / 1_000_000)
        }
        let answers = try await ledger.report(done.lease.token, reports, now: now).answers
        #expect(answers.allSatisfy { $0 == .accepted })
        let job = done.lease.shard.job.name
        let evidence = LeaseEvidence(job: job, cell: done.lease.shard.cell.id)
        let receipt = try await ledger.complete(done.lease.token, evidence: evidence, now: now)
        #expect(receipt.answer == .accepted)
    }
}

@Suite("Expected times that come from elsewhere")
struct PlanCostsTests {
    @Test(
        "what has another shape than the plan, or no sensible times, does not fit",
        arguments: [
            ([[1, 2], [3, 4]], true), ([[1, 2]], false), ([[1], [2]], false),
            ([[1, -2], [3, 4]], false), ([[1, Int.max], [3, 4]], false), ([], false),
        ]
    )
    func fits(costs: [[Int]], fits: Bool) {
        let job = Job(
            name: JobName("j"),
            kind: .unit,
            driver: DriverSettings("command", ["discover": "d", "run": "r"]),
            cells: ["a", "b"].map { Cell(id: CellID($0), device: nil, variant: []) }
        )
        let plan = Plan(
            pipeline: "p",
            mode: .verify,
            filtered: false,
            pin: ReferencePin(),
            jobs: [PlannedJob(job: job, tests: [TestID("x"), TestID("y")], prepared: [:])],
            workTree: "/"
        )
        let given = PlanCosts(cells: [costs.map { CellCosts(start: 0, tests: $0) }])
        #expect(given.fits(plan) == fits)
    }
}
