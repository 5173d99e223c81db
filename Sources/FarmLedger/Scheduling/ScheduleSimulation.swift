// The duration of a plan, computed by the production rules of claiming with simulated workers and
// learned times. It uses whole microseconds, no clock and no randomness: the result is the same on
// every machine.
import FarmCore

/// The waiting test cases of one cell of one job.
package struct ScheduleCell: Hashable, Sendable {
    package var key: CellKey
    package var start: LeaseStart
    /// The start that claims with guessed costs expect before a lease of the cell has ended.
    package var guess: LeaseStart? = LeaseStart.none
    /// The microseconds of each test case, in the order in which they are leased.
    package var costs: [Int]
    package var exclusive: Bool = false
}

/// The result of a simulation, in microseconds.
package struct ScheduleSimulation: Hashable, Sendable {
    package var finish = 0
    /// A lower bound of every schedule's duration: the longest test, or all work and the least
    /// starting over all workers.
    package var lowerBound = 0
    /// The number of test cases in each lease, by cell in the order of the input.
    package var shards: [[Int]] = []
    /// The number of times that a worker began on a cell.
    package var starts = 0

    init() {}

    package var leases: Int { shards.reduce(0) { $0 + $1.count } }
}

extension ScheduleSimulation {
    /// The source of the costs that ``ClaimRules`` works with.
    package enum Rule: String, Sendable, CaseIterable {
        /// Every test costs the mean of the test cases that have ended.
        case guessed
        /// The cost of each test is known, so that the longest come first.
        case learned
    }

    /// Simulates `workers` equal workers with one lease at a time.
    ///
    /// `leaseCost` is the time in microseconds between the tests of two leases, beside the cells'
    /// own starts.
    package static func simulate(
        _ cells: [ScheduleCell],
        workers: Int,
        rule: Rule,
        leaseCost: Int = ScheduleSimulation.leaseCost
    ) -> ScheduleSimulation {
        var simulation = Simulation(cells, workers: workers, rule: rule, leaseCost: leaseCost)
        simulation.run()
        return simulation.result
    }

    /// Returns the plan's cells with the known cost of each test; a test without one takes a fixed
    /// guess.
    package static func cells(of plan: Plan, _ costs: LearnedCosts?) -> [ScheduleCell] {
        plan.jobs.enumerated().flatMap { job, planned in
            planned.job.cells.enumerated().map { place, cell in
                let key = CellKey(job: planned.job.name, cell: cell.id)
                let times = plan.tests(job: job, cell: place).map { test in
                    costs?.microseconds(TestKey(job: key.job, cell: key.cell, test: test))
                        ?? Int(FarmLimits.testSecondsGuess * 1_000_000)
                }
                let guess = planned.job.startGuess.map { LeaseStart($0) }
                return ScheduleCell(
                    key: key,
                    start: .expected(
                        start: costs?.start(key) ?? 0,
                        launch: costs?.launch(key) ?? 0,
                        measured: MeasuredStarts(),
                        guess: guess
                    ),
                    guess: guess,
                    costs: times.sorted(by: >),
                    exclusive: planned.job.exclusive
                )
            }
        }
    }

    /// The microseconds between the tests of two leases, for the answer to the last reports and the
    /// next claim.
    ///
    /// The median on one machine was 14.3 to 16.4 ms (Benchmarks/history.md, Schedules).
    package static let leaseCost = 16_000

    /// Returns the least microseconds in which the workers can do all work and the starts that the
    /// work needs.
    ///
    /// In a time T one worker does at most T less its start on a cell, so that a cell of work w is
    /// started at least w / (T - start) times, each with a lease; and every worker that works
    /// starts once. These starts only shrink as T grows: halving finds the least T.
    static func lowerBound(_ cells: [ScheduleCell], workers: Int, leaseCost: Int) -> Int {
        let busy = cells.filter { !$0.costs.isEmpty }.map { cell in
            (
                start: cell.start.cold + leaseCost, work: cell.costs.reduce(0, +),
                longest: cell.costs.max() ?? 0
            )
        }
        guard let cheapest = busy.map(\.start).min() else { return 0 }
        let work = busy.reduce(0) { $0 + $1.work }
        func fits(_ time: Int) -> Bool {
            var starts = 0
            var starting = 0
            for cell in busy {
                let share = max(1, time - cell.start)
                let count = max(1, (cell.work + share - 1) / share)
                starts += count
                starting += count * cell.start
            }
            starting += max(0, workers - starts) * cheapest
            return work + starting <= workers * time
        }
        // The longest test is a lower limit; one worker that does everything is an upper one.
        var low = busy.map { $0.start + $0.longest }.max() ?? 0
        var high = max(low, work + busy.reduce(0) { $0 + $1.start })
        while low < high {
            let middle = low + (high - low) / 2
            if fits(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// The state of a simulation in progress.
private struct Simulation {
    private struct Waiting {
        var cell: ScheduleCell
        /// The index of the first test that no worker has taken.
        var next = 0
    }
    private struct Running {
        var end: Int
        var worker: Int
        var grant: Grant
    }
    /// The test cases that one claim leased to a worker, with their microseconds.
    private struct Grant {
        var cell: Int
        var count: Int
        var cost: Int
        /// The microseconds from the grant to the first test.
        var start: Int
        var isWarm: Bool
    }

    private var cells: [Waiting]
    private var running: [Running] = []
    private var warm: [Int?]
    private var idle: [Int]
    private var ended: [JobName: (count: Int, cost: Int)] = [:]
    private var starts: [JobName: MeasuredStarts] = [:]
    private let exclusive: Set<JobName>
    private let lines: [CellKey: CostLine]
    private let rule: ScheduleSimulation.Rule
    private let leaseCost: Int
    private(set) var result = ScheduleSimulation()

    init(_ cells: [ScheduleCell], workers: Int, rule: ScheduleSimulation.Rule, leaseCost: Int) {
        self.cells = cells.map { Waiting(cell: $0) }
        let count = max(1, workers)
        warm = Array(repeating: nil, count: count)
        idle = Array(0..<count)
        exclusive = Set(cells.filter(\.exclusive).map(\.key.job))
        lines = Dictionary(
            cells.map { ($0.key, CostLine(longestFirst: $0.costs)) }
        ) { $1 }
        result.shards = cells.map { _ in [] }
        self.rule = rule
        self.leaseCost = leaseCost
        result.lowerBound = ScheduleSimulation.lowerBound(
            cells,
            workers: count,
            leaseCost: leaseCost
        )
    }

    mutating func run() {
        var now = 0
        while true {
            // In the order of their numbers, so that chance plays no part.
            let asking = idle.sorted()
            idle = []
            for worker in asking {
                if let grant = claim(worker) {
                    running.append(
                        Running(
                            end: now + leaseCost + grant.start + grant.cost,
                            worker: worker,
                            grant: grant
                        )
                    )
                } else {
                    idle.append(worker)
                }
            }
            let first = running.indices.min {
                (running[$0].end, running[$0].worker) < (running[$1].end, running[$1].worker)
            }
            guard let first else { break }
            let lease = running.remove(at: first)
            now = lease.end
            end(lease)
        }
        result.finish = now
    }

    private mutating func end(_ lease: Running) {
        let job = cells[lease.grant.cell].cell.key.job
        let known = ended[job] ?? (0, 0)
        ended[job] = (known.count + lease.grant.count, known.cost + lease.grant.cost)
        let start = MeasuredStarts.Kind(leases: 1, sum: lease.grant.start)
        let one = lease.grant.isWarm ? MeasuredStarts(warm: start) : MeasuredStarts(cold: start)
        starts[job] = (starts[job] ?? MeasuredStarts()) + one
        idle.append(lease.worker)
    }

    /// Leases test cases to a worker, or returns `nil` if no test case is left for it.
    private mutating func claim(_ worker: Int) -> Grant? {
        guard let (cell, count) = choice(worker) else { return nil }
        let tests = cells[cell].cell.costs[cells[cell].next..<cells[cell].next + count]
        let cost = tests.reduce(0, +)
        let isWarm = warm[worker] == cell
        let start = cells[cell].cell.start
        if !isWarm { result.starts += 1 }
        warm[worker] = cell
        cells[cell].next += count
        result.shards[cell].append(count)
        return Grant(
            cell: cell,
            count: count,
            cost: cost,
            start: isWarm ? start.warm : start.cold,
            isWarm: isWarm
        )
    }

    private func choice(_ worker: Int) -> (cell: Int, count: Int)? {
        var workers = Array(repeating: 0, count: cells.count)
        var leased = workers
        var leasesOfJob: [JobName: Int] = [:]
        for lease in running {
            workers[lease.grant.cell] += 1
            leased[lease.grant.cell] += lease.grant.count
            leasesOfJob[cells[lease.grant.cell].cell.key.job, default: 0] += 1
        }
        let waiting = cells.indices.map { place in
            WaitingCell(
                job: cells[place].cell.key.job,
                cell: cells[place].cell.key.cell,
                count: cells[place].cell.costs.count - cells[place].next,
                leased: leased[place],
                workers: workers[place],
                start: expectedStart(cells[place].cell)
            )
        }
        let chosen = ClaimRules.choose(
            ClaimQuestion(
                waiting: waiting,
                leasesOfJob: leasesOfJob,
                costs: costs,
                workers: warm.count,
                warm: warm[worker].map { cells[$0].cell.key.cell },
                exclusive: exclusive
            )
        )
        guard let chosen,
            let cell = cells.firstIndex(where: {
                $0.cell.key == CellKey(job: chosen.job, cell: chosen.cell)
            })
        else { return nil }
        return (cell, min(chosen.size, waiting[cell].count))
    }

    private func expectedStart(_ cell: ScheduleCell) -> LeaseStart {
        switch rule {
        case .learned: cell.start
        case .guessed: (starts[cell.key.job] ?? MeasuredStarts()).expected(cell.guess)
        }
    }

    private var costs: ExpectedCosts {
        switch rule {
        case .learned: .learned(lines)
        case .guessed:
            .guessed(
                meanSeconds: ended.mapValues {
                    Double($0.cost) / Double(max(1, $0.count)) / 1_000_000
                }
            )
        }
    }
}
