// Which work a worker gets next. Pure: the ledger shows what waits, this decides, the ledger leases
// it in the same transaction. Longest first, so that nothing long is left for the end (Graham 1969);
// leases that shrink with what is left (Polychronopoulos and Kuck 1987), but not so far that they take
// longer to start than to run; and a worker leaves the cell it is warm for only where that ends the
// run sooner.
import FarmCore

package enum ClaimRules {
    /// Chooses job, cell and size for one claim.
    ///
    /// Nil when nothing waits, or when one more worker would end nothing sooner: it asks again when a
    /// lease ends. A job that nobody works for comes first, so that unit and snapshot jobs run side by side.
    /// Suspects wait until nothing else does, and what needs its host alone after them.
    package static func choose(_ question: ClaimQuestion) -> ClaimChoice? {
        guard !question.isClosed else { return nil }
        let queue = ClaimQueue(question)
        guard !queue.open.isEmpty else { return last(of: question) }
        guard let pick = queue.pick() else { return nil }
        let cell = question.waiting[pick.place]
        var budget = pick.budget
        // A lease that is short to risk little must still outlast its launch.
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

    /// How many of the longest that wait a budget buys; all where what is left over would be the
    /// smaller half of a lease.
    private static func size(of cell: WaitingCell, budget: Int, _ costs: ExpectedCosts) -> Int {
        let size = costs.size(of: cell, budget: budget)
        var rest = cell
        rest.count -= size
        let left = costs.load(of: rest)?.waiting ?? 0
        return left < restLaunchesMin * cell.start.warm ? cell.count : size
    }

    /// Launches that the tests of another lease must outlast, or they go with the lease before.
    private static let restLaunchesMin = 2

    /// What runs when nothing else waits: each suspect by itself, then a cell's isolated ones as one.
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

/// The cells of a run as one claim sees them.
private struct ClaimQueue {
    /// A cell of which something waits that may be leased now.
    struct Open {
        /// In the question's list.
        let place: Int
        let load: CellLoad
        /// What the tests of its job take, at least on average.
        let isKnown: Bool
    }

    let open: [Open]
    /// Microseconds that are left for each worker if all end together.
    private let rest: Int
    /// Parts of it that are leased one by one, where a launch costs nothing.
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

    /// Parts that a worker's share of what is left is leased in; its choice of a cell can change
    /// with each, and each costs a lease.
    private static let partsPerShare = 2...8

    /// Many where starting on a cell takes long beside what is left, few where leases cost more
    /// than a wrong cell; both ends and the factor are those that end the committed traces soonest.
    private static func parts(_ loads: [Open], rest: Int) -> Int {
        let start = loads.reduce(0) { $0 + $1.load.start.cold } / max(1, loads.count)
        let parts = 60 * start / max(1, rest)
        return min(max(parts, partsPerShare.lowerBound), partsPerShare.upperBound)
    }

    /// Of which cell to lease, and for how many microseconds.
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

    /// Microseconds of the next lease, if it is of this cell: a share of what is left, in so many
    /// parts that each outlasts its launch by far.
    ///
    /// The first lease of tests that nobody knows is never all of it.
    private func budget(of cell: Open) -> Int {
        let launches = max(1, Self.launchesPerLease * cell.load.start.warm)
        let partsMax = max(cell.isKnown ? 1 : Self.partsPerShare.lowerBound, rest / launches)
        return max(Int(FarmLimits.leaseWorkSecondsMin * 1_000_000), rest / min(parts, partsMax))
    }

    /// So many times its launch a lease's tests take: where launches take 15 s, more leases cost
    /// more than they balance, and fewer leave cells to the end (Benchmarks/history.md, Schedules).
    static let launchesPerLease = 8

    /// Where nobody is, nothing begins by itself: a test that takes what is left begins now.
    private var urgent: Open? {
        open.filter {
            $0.load.workers == 0 && 2 * ($0.load.start.cold + $0.load.longest) > rest
                && $0.load.longest > budget(of: $0)
        }.max { $0.load.start.cold + $0.load.longest < $1.load.start.cold + $1.load.longest }
    }

    /// Whether a cell would end too late without the worker that is warm for it; where no cell is
    /// late, nobody moves.
    private func needs(_ cell: Open) -> Bool {
        let isLate = open.contains { other in
            other.place != cell.place && other.load.isWorthStarting
                && other.load.left > (rest + other.load.start.cold) * max(1, other.load.workers)
        }
        // The starts that are still to come make what is left a little longer for all.
        return !isLate || cell.load.left > (rest + cell.load.start.cold / 8) * cell.load.workers
    }

    /// The cell that would end last: first those that nobody has begun.
    private func rank(_ load: CellLoad) -> (Int, Int) {
        (load.workers == 0 ? 1 : 0, load.left / max(1, load.workers))
    }
}
