// Which work a worker gets next where the costs of tests are known. Longest first, so that nothing
// long is left for the end (Graham 1969); leases that shrink with what is left (Polychronopoulos and
// Kuck 1987); and a worker leaves the cell it is warm for only where that ends the run sooner.

/// What waits and runs on one cell of one job; times in microseconds.
package struct LearnedCell: Hashable, Sendable {
    package var key: CellKey
    /// Of the test cases that wait.
    package var waiting: Int
    /// Test cases that wait.
    package var count: Int
    /// Of the longest that waits.
    package var longest: Int
    /// Workers that have live leases.
    package var workers: Int
    /// Whether the worker that asks is one of them: its lease ends before its next one begins.
    package var isOwn: Bool
    /// Of the test cases under live leases.
    package var leased: Int
    /// Before a worker's first test on the cell.
    package var start: Int

    package init(
        key: CellKey,
        waiting: Int,
        count: Int,
        longest: Int,
        workers: Int,
        isOwn: Bool = false,
        leased: Int,
        start: Int
    ) {
        self.key = key
        self.waiting = waiting
        self.count = count
        self.longest = longest
        self.workers = workers
        self.isOwn = isOwn
        self.leased = leased
        self.start = start
    }

    /// Workers but for the one that asks.
    fileprivate var others: Int { max(0, workers - (isOwn ? 1 : 0)) }
}

/// What to lease next: of this cell, the longest that wait, until their costs reach the budget.
package struct LearnedChoice: Hashable, Sendable {
    package var key: CellKey
    /// Microseconds.
    package var budget: Int

    package init(key: CellKey, budget: Int) {
        self.key = key
        self.budget = budget
    }
}

package enum LearnedClaims {
    /// Parts that a worker's share of what is left is leased in; its choice of a cell can change
    /// with each, and each costs a lease.
    private static let partsPerShare = 2...8

    /// Many where starting on a cell takes long beside what is left, few where leases cost more
    /// than a wrong cell; both ends and the factor are those that end the committed traces soonest.
    private static func parts(_ cells: [LearnedCell], rest: Int) -> Int {
        let start = cells.reduce(0) { $0 + $1.start } / max(1, cells.count)
        let parts = 60 * start / max(1, rest)
        return min(max(parts, partsPerShare.lowerBound), partsPerShare.upperBound)
    }

    /// Chooses for one claim; nil when nothing waits, or the worker would only be in the way.
    ///
    /// `workers` share the run, at least 1. A worker that got nothing asks again when a lease ends.
    package static func choose(
        _ cells: [LearnedCell],
        workers: Int,
        warm: CellKey?,
        exclusive: Set<JobName> = []
    ) -> LearnedChoice? {
        let live = cells.filter { $0.workers > 0 }
        guard !live.contains(where: { exclusive.contains($0.key.job) }) else { return nil }
        let open = cells.filter {
            $0.count > 0 && (live.isEmpty || !exclusive.contains($0.key.job))
        }
        // What is left for each worker if all end together.
        let rest = cells.reduce(0) { $0 + left($1) } / max(1, workers)
        let budget = max(
            Int(FarmLimits.leaseSecondsMin * 1_000_000),
            rest / parts(cells, rest: rest)
        )
        let warmCell = open.first { $0.key == warm }
        // Where nobody is, nothing begins by itself: a test that takes what is left begins now.
        let urgent = open.filter {
            $0.others == 0 && 2 * ($0.start + $0.longest) > rest && $0.longest > budget
        }
        if let first = urgent.max(by: { urgency($0) < urgency($1) }) {
            let isHere = warmCell.map { $0.longest >= first.longest } ?? false
            if !isHere { return LearnedChoice(key: first.key, budget: 1) }
        }
        if let warmCell, needs(warmCell, rest, open) {
            return LearnedChoice(key: warmCell.key, budget: budget)
        }
        let others = open.filter { $0.key != warm && isWorthStarting($0) }
        if let best = others.max(by: { rank($0) < rank($1) }) {
            return LearnedChoice(key: best.key, budget: budget)
        }
        return warmCell.map { LearnedChoice(key: $0.key, budget: budget) }
    }

    /// How many of the longest tests a budget buys, at least one.
    ///
    /// `costs` are those that wait, longest first.
    package static func size(of costs: some Sequence<Int>, budget: Int) -> Int {
        var count = 0
        var sum = 0
        for cost in costs {
            if count > 0, sum + cost > budget { break }
            count += 1
            sum += cost
            if count == FarmLimits.testsPerLeaseMax { break }
        }
        return max(1, count)
    }

    /// Of what others run, half is done on average; of what the worker ran, everything.
    private static func left(_ cell: LearnedCell) -> Int {
        cell.waiting + cell.leased * cell.others / max(1, cell.workers) / 2
    }

    /// Whether a cell would end too late without the worker that is warm for it; where no cell is
    /// late, nobody moves.
    private static func needs(_ cell: LearnedCell, _ rest: Int, _ open: [LearnedCell]) -> Bool {
        let others = open.filter { $0.key != cell.key && isWorthStarting($0) }
        let late = others.contains { left($0) > (rest + $0.start) * max(1, $0.others) }
        // The starts that are still to come make what is left a little longer for all.
        return !late || left(cell) > (rest + cell.start / 8) * cell.others
    }

    /// Whether one more worker begins before those that are there have ended.
    private static func isWorthStarting(_ cell: LearnedCell) -> Bool {
        cell.others == 0 || cell.start * cell.others < cell.waiting
    }

    private static func urgency(_ cell: LearnedCell) -> (Int, CellKey) {
        (cell.start + cell.longest, cell.key)
    }

    /// The cell that would end last: first those that nobody has begun.
    private static func rank(_ cell: LearnedCell) -> (Int, Int, CellKey) {
        (cell.others == 0 ? 1 : 0, left(cell) / max(1, cell.others), cell.key)
    }
}
