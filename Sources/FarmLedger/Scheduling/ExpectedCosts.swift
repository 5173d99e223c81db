// The expected durations of waiting test cases, from earlier runs or from the tests of this run
// that have ended. They guide claims; no verdict depends on them.
import FarmCore

/// The costs of one cell's test cases in microseconds, longest first.
///
/// Test cases are leased longest first, so the waiting ones are the shortest of their cell: their
/// count gives their costs and their sum. After a lost lease that is an estimate, which the next
/// claims correct.
package struct CostLine: Hashable, Sendable {
    let costs: [Int]
    /// The sums of costs in microseconds: `sums[n]` is the sum of the `n` longest.
    private let sums: [Int]

    init(longestFirst costs: [Int]) {
        self.costs = costs
        var sums = [0]
        for cost in costs { sums.append((sums.last ?? 0) + cost) }
        self.sums = sums
    }

    /// Returns the costs in microseconds of a cell's waiting tests if `count` tests wait.
    fileprivate func waiting(_ count: Int) -> ArraySlice<Int> { costs.suffix(count) }

    fileprivate func load(_ cell: WaitingCell) -> CellLoad {
        let begun = max(0, costs.count - cell.count)
        return CellLoad(
            waiting: sums[costs.count] - sums[begun],
            longest: waiting(cell.count).first ?? 0,
            leased: sums[begun] - sums[max(0, begun - cell.leased)],
            workers: cell.workers,
            start: cell.start
        )
    }

    /// Returns the number of a cell's longest waiting tests that fit into a budget in microseconds,
    /// at least one.
    fileprivate func size(_ cell: WaitingCell, budget: Int) -> Int {
        var count = 0
        var sum = 0
        for cost in waiting(cell.count) {
            if count > 0, sum + cost > budget { break }
            count += 1
            sum += cost
        }
        return max(1, count)
    }
}

/// The work of one cell, in microseconds.
struct CellLoad: Hashable, Sendable {
    /// The cost of all waiting test cases, in microseconds.
    var waiting: Int
    /// The cost of the longest waiting test case, in microseconds.
    var longest: Int
    /// The cost of all test cases under live leases, in microseconds.
    var leased: Int
    /// The number of workers with live leases of the cell.
    var workers: Int
    /// The expected time from a lease's grant to its first test.
    var start: LeaseStart

    /// The work left in the cell, in microseconds; of leased test cases half is done on average.
    var left: Int { waiting + leased / 2 }

    /// Whether one more worker would begin on the cell before its present workers have ended.
    ///
    /// Only its boot counts: their next leases take a launch, too.
    var isWorthStarting: Bool { workers == 0 || start.boot * workers < waiting }
}

/// The expected costs of a run's test cases.
package enum ExpectedCosts: Hashable, Sendable {
    /// The costs by cell, from the history that came with the run.
    case learned([CellKey: CostLine])
    /// The mean duration of this run's finished test cases by job; jobs without one are absent.
    case guessed(meanSeconds: [JobName: Double])

    /// Returns the load of a cell, or `nil` if the learned costs lack the cell.
    func load(of cell: WaitingCell) -> CellLoad? {
        switch self {
        case .learned(let lines): return lines[cell.key]?.load(cell)
        case .guessed(let means):
            let mean = Self.microseconds(means[cell.job])
            return CellLoad(
                waiting: cell.count * mean,
                longest: mean,
                leased: cell.leased * mean,
                workers: cell.workers,
                start: cell.start
            )
        }
    }

    /// Returns the number of a cell's test cases that fit into a budget in microseconds, at least
    /// one.
    func size(of cell: WaitingCell, budget: Int) -> Int {
        switch self {
        case .learned(let lines): lines[cell.key]?.size(cell, budget: budget) ?? 1
        case .guessed(let means):
            max(1, min(cell.count, budget / Self.microseconds(means[cell.job])))
        }
    }

    /// Returns whether the durations of a job's tests are known.
    func knows(_ job: JobName) -> Bool {
        if case .guessed(let means) = self { means[job] != nil } else { true }
    }

    /// Converts seconds to a cost of at least one microsecond, limited so that sums do not
    /// overflow.
    private static func microseconds(_ seconds: Double?) -> Int {
        let seconds = seconds ?? FarmLimits.testSecondsGuess
        return max(1, Int(min(max(seconds, 0), FarmLimits.reportSecondsMax) * 1_000_000))
    }
}
