// Many teams on one ledger in simulated time: each lease takes its start and the times of its
// tests. One team may hand in many runs at once, while the others hand in theirs at random times.
import FarmCore
import FarmTesting
import Foundation
import GRDB

@testable import FarmLedger

/// The order of turns before workers were shared by team.
struct OldOrder: TurnOrder {
    mutating func order(_ open: [TurnRun], of teams: Teams, now: Milliseconds) -> TurnList {
        let runs = open.filter(\.waits).sorted {
            ($1.priority, $0.leases, $0.started, $0.run.text)
                < ($0.priority, $1.leases, $1.started, $1.run.text)
        }.map(\.run)
        return TurnList(runs, isShared: false)
    }

    mutating func served(_ run: RunID) {}
}

/// The runs of all teams, drawn from one seed.
struct TeamScenario {
    struct Submission {
        var team: Int
        /// Milliseconds since the start.
        var time: Int64
        /// The milliseconds of each test.
        var costs: [Int]
        var isFlood: Bool
        var priority = 0
    }
    struct Flood {
        /// The time at which the runs of a flood are handed in.
        static let time: Int64 = 30_000

        var runs: Int
        var tests: ClosedRange<Int>
        var priority = 0
    }

    let workers: Int
    /// The time until which runs are handed in, in milliseconds.
    let window: Int64
    /// The runs in the order of their times.
    private(set) var runs: [Submission] = []

    /// The work of all runs but those of the flood, as a part of what the workers can do.
    var utilisation: Double {
        let work = runs.filter { !$0.isFlood }.reduce(0) { $0 + $1.costs.reduce(0, +) }
        return Double(work) / Double(window) / Double(workers)
    }

    /// Draws runs of 39 teams that use `load` of the workers, and the flood of one more team.
    init(seed: UInt64, workers: Int, window: Int64, load: Double, flood: Flood?) {
        self.workers = workers
        self.window = window
        var random = SeededGenerator(seed: seed)
        // The mean of the draws below, by which the runs come often enough.
        let work = Double(window) * Double(workers) * load
        var drawn = 0.0
        var others: [Submission] = []
        while drawn < work {
            let run = Submission(
                team: Int.random(in: 1..<40, using: &random),
                time: Int64.random(in: 0..<window, using: &random),
                costs: Self.costs(4...120, &random),
                isFlood: false
            )
            drawn += Double(run.costs.reduce(0, +))
            others.append(run)
        }
        if let flood {
            for _ in 0..<flood.runs {
                others.append(
                    Submission(
                        team: 0,
                        time: Flood.time,
                        costs: Self.costs(flood.tests, &random),
                        isFlood: true,
                        priority: flood.priority
                    )
                )
            }
        }
        runs = others.enumerated().sorted {
            ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
        }.map(\.element)
    }

    /// Draws the times of a run's tests: small runs are as likely as large ones, and most tests take
    /// half a second to five seconds.
    private static func costs(
        _ tests: ClosedRange<Int>,
        _ random: inout SeededGenerator
    ) -> [Int] {
        let (least, most) = (log(Double(tests.lowerBound)), log(Double(tests.upperBound)))
        let count = Int(exp(Double.random(in: least...most, using: &random)).rounded())
        return (0..<count).map { _ in
            Int(exp(Double.random(in: log(500)...log(5_000), using: &random)))
        }.sorted(by: >)
    }
}

/// The times of a run, in milliseconds from its submission.
struct TeamWait {
    var run: TeamScenario.Submission
    var first: Int64?
    var end: Int64?
}

/// Workers of many teams' runs, over a real ledger.
final class TeamFarm {
    private struct Running {
        var end: Int64
        var renewed: Int64
        let worker: Int
        let lease: Lease
    }

    private let scenario: TeamScenario
    private let ledger: SQLiteLedger
    private let database: DatabaseQueue
    private var now: Int64 = 0
    private var running: [Running] = []
    private var idle: [Int]
    private var seen: [Int64]
    private var warm: [CellID?]
    private var requests = 0
    private var left: [RunID: Int] = [:]
    private var places: [RunID: Int] = [:]
    private var waits: [TeamWait] = []

    init(_ scenario: TeamScenario, _ order: any TurnOrder, teams: Teams = Teams()) throws {
        self.scenario = scenario
        database = try DatabaseQueue()
        ledger = try SQLiteLedger(over: database, path: "memory", turns: order)
        ledger.share { teams }
        idle = Array(0..<scenario.workers)
        seen = Array(repeating: 0, count: scenario.workers)
        warm = Array(repeating: nil, count: scenario.workers)
    }

    /// Works until all runs have ended but those of the flood, or all if `floodToo`; returns the
    /// times of the runs.
    func work(floodToo: Bool = false) async throws -> [TeamWait] {
        for worker in 0..<scenario.workers {
            let id = WorkerID("w\(worker)")
            try await ledger.registerWorker(id, unfit: nil, beginsAnew: true, now: 0)
        }
        var open = scenario.runs.count { floodToo || !$0.isFlood }
        var next = 0
        while open > 0 {
            while next < scenario.runs.count, scenario.runs[next].time <= now {
                try await submit(scenario.runs[next])
                next += 1
            }
            try await hand()
            let arrival = next < scenario.runs.count ? scenario.runs[next].time : nil
            let end = running.map(\.end).min()
            guard let time = [arrival, end].compactMap({ $0 }).min() else {
                throw Stuck(now: now, open: open)
            }
            now = time
            for (place, lease) in running.enumerated().reversed() where lease.end <= now {
                running.remove(at: place)
                if let ended = try await complete(lease), floodToo || !ended.isFlood { open -= 1 }
            }
            try await renew()
        }
        return waits
    }

    struct Stuck: Error { let now: Int64, open: Int }

    private func submit(_ run: TeamScenario.Submission) async throws {
        let number = waits.count
        let cell = Cell(id: CellID("cell-\(run.team)"), device: nil, variant: [])
        let job = Job(
            name: JobName("unit"),
            kind: .unit,
            driver: DriverSettings("command", ["discover": "d", "run": "r"]),
            cells: [cell]
        )
        let plan = Plan(
            pipeline: "team-\(run.team)",
            mode: .verify,
            filtered: false,
            pin: ReferencePin(),
            jobs: [
                PlannedJob(
                    job: job,
                    tests: run.costs.indices.map { TestID("t\($0)") },
                    prepared: [:]
                )
            ],
            workTree: "/"
        )
        var facts = RunFacts.plain("r\(100_000 + number)")
        facts.pipeline = plan.pipeline
        let costs = CellCosts(start: Self.boot * 1000, tests: run.costs.map { $0 * 1000 })
        let id = try await ledger.openRun(
            NewRun(
                key: facts.id,
                facts: facts,
                plan: plan,
                costs: PlanCosts(cells: [[costs]]),
                priority: run.priority
            ),
            now: now
        )
        places[id] = number
        left[id] = run.costs.count
        waits.append(TeamWait(run: run))
    }

    /// The milliseconds of a lease before its first test, and of a worker that comes from another
    /// cell.
    private static let start = 100
    private static let boot = 400

    /// Lets idle workers claim until one gets nothing.
    private func hand() async throws {
        for worker in idle.sorted() {
            requests += 1
            let lease = try await ledger.claim(
                worker: WorkerID("w\(worker)"),
                request: "\(requests)",
                warm: warm[worker],
                now: now
            )
            seen[worker] = now
            guard let lease else { return }
            idle.removeAll { $0 == worker }
            guard let place = places[lease.shard.run] else { continue }
            let costs = lease.shard.tests.compactMap { Int($0.text.dropFirst()) }
                .map { waits[place].run.costs[$0] }
            let cell = lease.shard.cell.id
            let starts = Self.start + (warm[worker] == cell ? 0 : Self.boot)
            warm[worker] = cell
            waits[place].first = waits[place].first ?? now - waits[place].run.time
            running.append(
                Running(
                    end: now + Int64(starts + costs.reduce(0, +)),
                    renewed: now,
                    worker: worker,
                    lease: lease
                )
            )
        }
    }

    /// Completes a lease, and returns its run if that has ended.
    private func complete(_ done: Running) async throws -> TeamScenario.Submission? {
        let run = done.lease.shard.run
        let reports = done.lease.shard.tests.map {
            TestReport(test: $0, ending: .passed, seconds: 1)
        }
        let evidence = LeaseEvidence(
            job: done.lease.shard.job.name,
            cell: done.lease.shard.cell.id
        )
        _ = try await ledger.complete(
            done.lease.token,
            reports: reports,
            evidence: evidence,
            now: now
        )
        idle.append(done.worker)
        seen[done.worker] = now
        left[run, default: 0] -= reports.count
        guard left[run] == 0, let place = places[run] else { return nil }
        try await database.write { db in
            try db.execute(
                sql: "UPDATE run SET state = 'passed' WHERE id = ?",
                arguments: [run.text]
            )
        }
        waits[place].end = now - waits[place].run.time
        return waits[place].run
    }

    /// Lets every worker call that was silent for long.
    private func renew() async throws {
        for place in running.indices where now - running[place].renewed > 10_000 {
            _ = try await ledger.renew(running[place].lease.token, running: nil, now: now)
            running[place].renewed = now
        }
        for worker in idle where now - seen[worker] > 10_000 {
            try await ledger.hello(WorkerID("w\(worker)"), now: now)
            seen[worker] = now
        }
    }
}
