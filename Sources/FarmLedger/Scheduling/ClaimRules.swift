// The rule for a worker's next work. Pure: the ledger passes the waiting work in and leases the
// choice in the same transaction. Longest tests come first, so that nothing long is left for the
// end (Graham 1969). Leases shrink with the work left (Polychronopoulos and Kuck 1987), but never
// so far that they take longer to start than to run. A worker leaves the cell it is warm for only
// if that ends the run sooner.
import FarmCore

package enum ClaimRules {
    /// Chooses job, cell and size of the next lease.
    ///
    /// Returns `nil` if nothing waits, or if one more worker would end nothing sooner; the worker
    /// claims again when a lease ends. A job without leases comes first, so that unit and snapshot
    /// jobs run side by side. Suspects wait until nothing else does, and isolated test cases until
    /// after them.
    package static func choose(_ question: ClaimQuestion) -> ClaimChoice? {
        guard !question.isClosed else { return nil }
        let queue = ClaimQueue(question)
        guard !queue.open.isEmpty else { return last(of: question) }
        guard let pick = queue.pick() else { return nil }
        let cell = question.waiting[pick.place]
        var budget = pick.budget
        if question.isShared { budget = min(budget, sharedBudgetMax(cell.start)) }
        // Even a small lease of an unproven worker must outlast its launch.
        let worthwhile = question.costs.size(
            of: cell,
            budget: ClaimQueue.launchesPerLease * cell.start.warm
        )
        var sizeMax = max(question.sizeMax, min(worthwhile, FarmLimits.testsPerLeaseMax))
        if let timeouts = question.timeouts[cell.job] {
            budget = min(budget, ShardTime.budgetMax(timeouts))
            if !question.costs.knows(cell.job) {
                sizeMax = min(sizeMax, ShardTime.sizeMax(timeouts, meanSeconds: nil))
            }
        }
        return ClaimChoice(
            job: cell.job,
            cell: cell.cell,
            size: min(size(of: cell, budget: budget, question.costs), sizeMax),
            company: .others
        )
    }

    /// Returns the most microseconds of a lease while other teams use the workers, too: a team that
    /// hands in a run waits for the end of one.
    ///
    /// A lease still outlasts its start by far, because the worker may come from another team's
    /// cell.
    private static func sharedBudgetMax(_ start: LeaseStart) -> Int {
        max(sharedLeaseMicroseconds, ClaimQueue.launchesPerLease * start.cold)
    }

    /// The microseconds of tests of a lease while several teams share the workers: of ten workers
    /// one is free every second, and the pause between two leases is less than a hundredth of it.
    private static let sharedLeaseMicroseconds = 10_000_000

    /// Returns the number of a cell's longest waiting tests that fit into a budget in microseconds;
    /// all of them if the others would be too little work for a lease.
    private static func size(of cell: WaitingCell, budget: Int, _ costs: ExpectedCosts) -> Int {
        let size = costs.size(of: cell, budget: budget)
        var rest = cell
        rest.count -= size
        let left = costs.load(of: rest)?.waiting ?? 0
        return left < restLaunchesMin * cell.start.warm ? cell.count : size
    }

    /// The number of launches that the other tests of a cell must outlast to become a lease of
    /// their own.
    private static let restLaunchesMin = 2

    /// Chooses among the tests that do not run beside others: first each suspect alone, then a
    /// cell's isolated tests together.
    private static func last(of question: ClaimQuestion) -> ClaimChoice? {
        let allowed = question.waiting.lazy.filter { question.allows($0.job) }
        if let cell = allowed.first(where: { $0.alone > 0 }) {
            return ClaimChoice(job: cell.job, cell: cell.cell, size: 1, company: .alone)
        }
        return allowed.first { $0.isolated > 0 }.map { cell in
            var sizeMax = question.sizeMax
            if let timeouts = question.timeouts[cell.job] {
                let mean: Double? =
                    if case .guessed(let means) = question.costs { means[cell.job] } else { nil }
                sizeMax = min(sizeMax, ShardTime.sizeMax(timeouts, meanSeconds: mean))
            }
            return ClaimChoice(
                job: cell.job,
                cell: cell.cell,
                size: min(cell.isolated, sizeMax),
                company: .isolated
            )
        }
    }
}

/// The cells of a run, as one claim sees them.
private struct ClaimQueue {
    /// A cell with waiting test cases that may be leased now.
    struct Open {
        /// The index of the cell in the question's list `waiting`.
        let place: Int
        let load: CellLoad
        /// Whether the durations of the job's tests are known, at least their mean.
        let isKnown: Bool
    }

    let open: [Open]
    /// The work left for each worker if all end together, in microseconds.
    private let rest: Int
    /// The number of leases that a worker's share of the work left is divided into, if launches
    /// take no time.
    private let parts: Int
    private let warm: Open?

    init(_ question: ClaimQuestion) {
        var loads: [Open] = []
        for place in question.waiting.indices {
            let cell = question.waiting[place]
            guard let load = question.costs.load(of: cell) else { continue }
            loads.append(
                Open(place: place, load: load, isKnown: question.costs.knows(cell.job))
            )
        }
        let allowed = loads.filter {
            let cell = question.waiting[$0.place]
            return cell.count > 0 && question.allows(cell.job)
        }
        let ofIdleJobs = allowed.filter {
            question.leasesOfJob[question.waiting[$0.place].job] == nil
        }
        let open = ofIdleJobs.isEmpty ? allowed : ofIdleJobs
        self.open = open
        rest = loads.reduce(0) { $0 + $1.load.left } / max(1, question.workers)
        parts = Self.parts(loads, rest: rest)
        warm = question.warm.flatMap { cell in
            open.first { question.waiting[$0.place].cell == cell }
        }
    }

    /// The range of the number of leases that make up a worker's share of the work left.
    ///
    /// With each lease the worker may change its cell, and each lease takes time.
    private static let partsPerShare = 2...8

    /// Returns the number of leases for a worker's share of the work left: many if starting on a
    /// cell takes long compared with that share, few if leases take more time than a wrong choice
    /// of cell.
    ///
    /// The range and the factor 60 are those that end the committed traces soonest.
    private static func parts(_ loads: [Open], rest: Int) -> Int {
        let start = loads.reduce(0) { $0 + $1.load.start.cold } / max(1, loads.count)
        let parts = 60 * start / max(1, rest)
        return min(max(parts, partsPerShare.lowerBound), partsPerShare.upperBound)
    }

    /// Returns the index of the next lease's cell and the lease's budget in microseconds, or `nil`
    /// if no cell is worth another worker.
    func pick() -> (place: Int, budget: Int)? {
        if let urgent, warm.map({ $0.load.longest < urgent.load.longest }) ?? true {
            return (urgent.place, 1)
        }
        if let warm, needs(warm) { return (warm.place, budget(of: warm)) }
        let others = open.filter { $0.place != warm?.place && $0.load.isWorthStarting }
        return (others.max { rank($0.load) < rank($1.load) } ?? warm).map {
            ($0.place, budget(of: $0))
        }
    }

    /// Returns the microseconds of the next lease of a cell: a part of the worker's share that
    /// outlasts its launch by far.
    ///
    /// With unknown durations, never lease a whole cell at once.
    private func budget(of cell: Open) -> Int {
        let launches = max(1, Self.launchesPerLease * cell.load.start.warm)
        let partsMax = max(cell.isKnown ? 1 : Self.partsPerShare.lowerBound, rest / launches)
        return max(Int(FarmLimits.leaseWorkSecondsMin * 1_000_000), rest / min(parts, partsMax))
    }

    /// The number of launches that the tests of one lease outlast.
    ///
    /// With launches of 15 s, more leases cost more than they balance, and fewer leave cells to the
    /// end (Benchmarks/history.md, Schedules).
    static let launchesPerLease = 8

    /// The cell without workers whose longest test must begin now, or `nil` if there is none: with
    /// its start that test takes more than half of the time left.
    private var urgent: Open? {
        open.filter {
            $0.load.workers == 0 && 2 * ($0.load.start.cold + $0.load.longest) > rest
                && $0.load.longest > budget(of: $0)
        }.max { $0.load.start.cold + $0.load.longest < $1.load.start.cold + $1.load.longest }
    }

    /// Returns whether the worker that is warm for a cell stays there: no other cell is late, or
    /// this one would be late without it.
    private func needs(_ cell: Open) -> Bool {
        let isLate = open.contains { other in
            other.place != cell.place && other.load.isWorthStarting
                && other.load.left > (rest + other.load.start.cold) * max(1, other.load.workers)
        }
        // Later starts make the rest a little longer for all.
        return !isLate || cell.load.left > (rest + cell.load.start.cold / 8) * cell.load.workers
    }

    /// Returns the rank of a cell; the highest is picked.
    ///
    /// Cells without workers come first, then the one that would end last.
    private func rank(_ load: CellLoad) -> (Int, Int) {
        (load.workers == 0 ? 1 : 0, load.left / max(1, load.workers))
    }
}
