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

    /// Simulates `workers` equal workers that claim the next lease before the last has ended.
    ///
    /// `leaseCost` are the microseconds between the tests of two leases.
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

    /// Microseconds between the tests of two leases, as measured (docs/adr/0021-ahead.md).
    package static let leaseCost = 8_000
    /// Microseconds before the end of a lease in which its worker claims the next.
    package static let lead = Int(FarmLimits.claimAheadSeconds * 1_000_000)

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
        var leasedCost = 0
    }
    private struct Running {
        /// When its worker asks for the next lease.
        var asks: Int
        var hasAsked = false
        var end: Int
        var worker: Int
        var grant: Grant
    }
    /// Tests that a worker got, and what they cost it.
    private struct Grant {
        var cell: Int
        var count: Int
        var cost: Int
        /// With what it takes to begin.
        var time: Int
    }

    private var cells: [Waiting]
    private var running: [Running] = []
    private var warm: [Int?]
    private var idle: [Int]
    /// By worker: the lease it begins next.
    private var next: [Grant?]
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
        next = Array(repeating: nil, count: count)
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
            for worker in asking {
                if let grant = claim(worker) {
                    begin(grant, worker, now)
                } else {
                    idle.append(worker)
                }
            }
            guard let first = running.indices.min(by: { order($0) < order($1) }) else { break }
            let lease = running[first]
            if !lease.hasAsked {
                running[first].hasAsked = true
                next[lease.worker] = claim(lease.worker)
                continue
            }
            running.remove(at: first)
            now = lease.end
            end(lease, now)
        }
        result.finish = now
    }

    /// When what happens next to a lease happens.
    private func order(_ index: Int) -> (Int, Int) {
        let lease = running[index]
        return (lease.hasAsked ? lease.end : lease.asks, lease.worker)
    }

    private mutating func begin(_ grant: Grant, _ worker: Int, _ now: Int) {
        let end = now + grant.time
        running.append(
            Running(asks: max(now, end - Makespan.lead), end: end, worker: worker, grant: grant)
        )
    }

    private mutating func end(_ lease: Running, _ now: Int) {
        let job = cells[lease.grant.cell].cell.key.job
        let known = ended[job] ?? (0, 0)
        ended[job] = (known.count + lease.grant.count, known.cost + lease.grant.cost)
        cells[lease.grant.cell].leasedCost -= lease.grant.cost
        if let grant = next[lease.worker] {
            next[lease.worker] = nil
            begin(grant, lease.worker, now)
        } else {
            idle.append(lease.worker)
        }
    }

    /// What the worker gets, if anything.
    private mutating func claim(_ worker: Int) -> Grant? {
        guard let (cell, count) = choice(worker) else { return nil }
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
        cells[cell].leasedCost += cost
        result.leases += 1
        return Grant(cell: cell, count: count, cost: cost, time: time)
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
                active: (running.map(\.grant) + next.compactMap { $0 }).map { lease in
                    let key = cells[lease.cell].cell.key
                    return ActiveLease(job: key.job, cell: key.cell)
                },
                workers: warm.count,
                warm: warm[worker].map { cells[$0].cell.key.cell },
                own: own(worker).map { cells[$0].cell.key },
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

    /// The cell whose lease a worker still runs while it asks for the next.
    private func own(_ worker: Int) -> Int? {
        running.first { $0.worker == worker }?.grant.cell
    }

    /// A worker that has its next lease on the cell of its last is one.
    private var workersByCell: [Int] {
        var counts = Array(repeating: 0, count: cells.count)
        for lease in running {
            counts[lease.grant.cell] += 1
            if let grant = next[lease.worker], grant.cell != lease.grant.cell {
                counts[grant.cell] += 1
            }
        }
        return counts
    }

    private func byCosts(_ worker: Int) -> (cell: Int, count: Int)? {
        let own = own(worker)
        let here = workersByCell
        let waiting = cells.indices.map { place in
            let waiting = cells[place]
            return LearnedCell(
                key: waiting.cell.key,
                waiting: waiting.cost,
                count: waiting.cell.costs.count - waiting.next,
                longest: waiting.next < waiting.cell.costs.count
                    ? waiting.cell.costs[waiting.next] : 0,
                workers: here[place],
                isOwn: place == own,
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
