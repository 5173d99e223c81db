// How long a plan takes, computed instead of waited for: the production rules of claiming against
// simulated workers that take learned times. Whole microseconds, no clock and no chance: the same
// question gets the same answer on every machine.

/// What waits on one cell of one job.
package struct MakespanCell: Hashable, Sendable {
    package var key: CellKey
    /// Microseconds before a worker's first test there.
    package var start: Int
    /// Microseconds of each test case, in the order they are leased.
    package var costs: [Int]
    package var exclusive: Bool

    package init(key: CellKey, start: Int, costs: [Int], exclusive: Bool = false) {
        self.key = key
        self.start = start
        self.costs = costs
        self.exclusive = exclusive
    }
}

/// What a simulation found, in microseconds.
package struct Makespan: Hashable, Sendable {
    package var finish = 0
    /// No schedule is shorter: the longest test, or all work and the least starting over all
    /// workers.
    package var lowerBound = 0
    package var leases = 0
    /// How often a worker began on a cell.
    package var starts = 0

    package init() {}
}

extension Makespan {
    /// Who decides what a worker runs next.
    package enum Rule: String, Sendable, CaseIterable {
        /// ``ClaimRules``: by counts, and the mean of what has ended.
        case counts
        /// ``LearnedClaims``: by learned costs, longest first.
        case learned
    }

    /// Simulates `workers` equal workers.
    ///
    /// `leaseCost` are the microseconds that claim, start and completion of a lease take.
    package static func simulate(
        _ cells: [MakespanCell],
        workers: Int,
        rule: Rule,
        leaseCost: Int = Makespan.leaseCost
    ) -> Makespan {
        var simulation = Simulation(cells, workers: workers, rule: rule, leaseCost: leaseCost)
        simulation.run()
        return simulation.result
    }

    /// The plan's cells at the costs that are known; `learned` takes the longest tests first.
    package static func cells(of plan: Plan, _ costs: LearnedCosts, rule: Rule) -> [MakespanCell] {
        plan.jobs.enumerated().flatMap { job, planned in
            planned.job.cells.enumerated().map { place, cell in
                let key = CellKey(job: planned.job.name, cell: cell.id)
                let times = plan.tests(job: job, cell: place).map { test in
                    costs.microseconds(TestKey(job: key.job, cell: key.cell, test: test))
                }
                return MakespanCell(
                    key: key,
                    start: costs.start(key),
                    costs: rule == .learned ? times.sorted(by: >) : times,
                    exclusive: planned.job.exclusive
                )
            }
        }
    }

    /// Microseconds of one lease beside its tests, as measured.
    package static let leaseCost = 25_000

    /// The least time in which all work and the starting it takes fit into the workers.
    ///
    /// In a time T one worker does at most T less its start on a cell, so that a cell of work w
    /// is started on at least w / (T - start) times, each with a lease; and every worker that works
    /// starts once. What that takes only shrinks as T grows: the least T is found by halving.
    static func lowerBound(_ cells: [MakespanCell], workers: Int, leaseCost: Int) -> Int {
        let busy = cells.filter { !$0.costs.isEmpty }.map { cell in
            (
                start: cell.start + leaseCost, work: cell.costs.reduce(0, +),
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
        // Nothing ends before the longest test; one worker could do everything.
        var low = busy.map { $0.start + $0.longest }.max() ?? 0
        var high = max(low, work + busy.reduce(0) { $0 + $1.start })
        while low < high {
            let middle = low + (high - low) / 2
            if fits(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// One simulation in progress.
private struct Simulation {
    private struct Waiting {
        var cell: MakespanCell
        /// The first test that nobody has yet.
        var next = 0
        var cost: Int
        var leases = 0
        var leasedCost = 0
    }
    private struct Running {
        var end: Int
        var worker: Int
        var cell: Int
        var count: Int
        var cost: Int
    }

    private var cells: [Waiting]
    private var running: [Running] = []
    private var warm: [Int?]
    private var idle: [Int]
    private var ended: [JobName: (count: Int, cost: Int)] = [:]
    private let exclusive: Set<JobName>
    private let rule: Makespan.Rule
    private let leaseCost: Int
    private(set) var result = Makespan()

    init(_ cells: [MakespanCell], workers: Int, rule: Makespan.Rule, leaseCost: Int) {
        self.cells = cells.map { Waiting(cell: $0, cost: $0.costs.reduce(0, +)) }
        let count = max(1, workers)
        warm = Array(repeating: nil, count: count)
        idle = Array(0..<count)
        exclusive = Set(cells.filter(\.exclusive).map(\.key.job))
        self.rule = rule
        self.leaseCost = leaseCost
        result.lowerBound = Makespan.lowerBound(cells, workers: count, leaseCost: leaseCost)
    }

    mutating func run() {
        var now = 0
        while true {
            // In the order of their numbers: who asks first is no matter of chance.
            let asking = idle.sorted()
            idle = []
            for worker in asking where !claim(worker: worker, now) { idle.append(worker) }
            guard let first = running.indices.min(by: { order($0) < order($1) }) else { break }
            let done = running.remove(at: first)
            now = done.end
            let job = cells[done.cell].cell.key.job
            let known = ended[job] ?? (0, 0)
            ended[job] = (known.count + done.count, known.cost + done.cost)
            cells[done.cell].leases -= 1
            cells[done.cell].leasedCost -= done.cost
            idle.append(done.worker)
        }
        result.finish = now
    }

    private func order(_ index: Int) -> (Int, Int) { (running[index].end, running[index].worker) }

    /// Whether the worker got a lease.
    private mutating func claim(worker: Int, _ now: Int) -> Bool {
        guard let (cell, count) = choice(worker) else { return false }
        let tests = cells[cell].cell.costs[cells[cell].next..<cells[cell].next + count]
        let cost = tests.reduce(0, +)
        var time = leaseCost + cost
        if warm[worker] != cell {
            time += cells[cell].cell.start
            result.starts += 1
        }
        warm[worker] = cell
        cells[cell].next += count
        cells[cell].cost -= cost
        cells[cell].leases += 1
        cells[cell].leasedCost += cost
        result.leases += 1
        running.append(
            Running(end: now + time, worker: worker, cell: cell, count: count, cost: cost)
        )
        return true
    }

    private func choice(_ worker: Int) -> (cell: Int, count: Int)? {
        switch rule {
        case .counts: byCounts(worker)
        case .learned: byCosts(worker)
        }
    }

    private func byCounts(_ worker: Int) -> (cell: Int, count: Int)? {
        let waiting = cells.filter { $0.next < $0.cell.costs.count }.map { waiting in
            WaitingCell(
                job: waiting.cell.key.job,
                cell: waiting.cell.key.cell,
                count: waiting.cell.costs.count - waiting.next,
                alone: 0
            )
        }
        let chosen = ClaimRules.choose(
            ClaimQuestion(
                waiting: waiting,
                active: running.map { lease in
                    let key = cells[lease.cell].cell.key
                    return ActiveLease(job: key.job, cell: key.cell)
                },
                workers: warm.count,
                warm: warm[worker].map { cells[$0].cell.key.cell },
                exclusive: exclusive,
                meanSeconds: ended.mapValues {
                    Double($0.cost) / Double(max(1, $0.count)) / 1_000_000
                }
            )
        )
        guard let chosen,
            let cell = cells.firstIndex(where: {
                $0.cell.key == CellKey(job: chosen.job, cell: chosen.cell)
            })
        else { return nil }
        return (cell, chosen.size)
    }

    private func byCosts(_ worker: Int) -> (cell: Int, count: Int)? {
        let waiting = cells.map { waiting in
            LearnedCell(
                key: waiting.cell.key,
                waiting: waiting.cost,
                count: waiting.cell.costs.count - waiting.next,
                longest: waiting.next < waiting.cell.costs.count
                    ? waiting.cell.costs[waiting.next] : 0,
                leases: waiting.leases,
                leased: waiting.leasedCost,
                start: waiting.cell.start
            )
        }
        let chosen = LearnedClaims.choose(
            waiting,
            workers: warm.count,
            warm: warm[worker].map { cells[$0].cell.key },
            exclusive: exclusive
        )
        guard let chosen, let cell = cells.firstIndex(where: { $0.cell.key == chosen.key }) else {
            return nil
        }
        let costs = cells[cell].cell.costs[cells[cell].next...]
        return (cell, LearnedClaims.size(of: costs, budget: chosen.budget))
    }
}
