// What the test cases that wait are expected to take: by what earlier runs took, or by what those of
// this run took that have ended. Advice for claims, which no verdict rests on.
import FarmCore

/// The costs of one cell's test cases, longest first; microseconds.
///
/// Test cases are leased longest first, so those that wait are the shortest of their cell: a count
/// says what they are and what they sum up to. What waits again after a lost lease makes that an
/// estimate, which the next claims mend.
package struct CostLine: Hashable, Sendable {
    let costs: [Int]
    /// `sums[n]` is the sum of the `n` longest.
    private let sums: [Int]

    init(longestFirst costs: [Int]) {
        self.costs = costs
        var sums = [0]
        for cost in costs { sums.append((sums.last ?? 0) + cost) }
        self.sums = sums
    }

    /// Those that wait if `count` do.
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

    /// How many of the longest that wait a budget buys, at least one.
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

/// The work of one cell; microseconds.
struct CellLoad: Hashable, Sendable {
    /// Of the test cases that wait.
    var waiting: Int
    /// Of the longest that waits.
    var longest: Int
    /// Of the test cases under live leases.
    var leased: Int
    /// Workers that have live leases.
    var workers: Int
    /// Before a lease's first test.
    var start: LeaseStart

    /// What is still to do: of what runs, half is done on average.
    var left: Int { waiting + leased / 2 }

    /// Whether one more worker begins before those that are there have ended; their next leases pay
    /// a launch too.
    var isWorthStarting: Bool { workers == 0 || start.boot * workers < waiting }
}

/// What the test cases of a run are expected to take.
package enum ExpectedCosts: Hashable, Sendable {
    /// By cell, from the history that came with the run.
    case learned([CellKey: CostLine])
    /// What a finished test case took on average in this run, by job; none before a job's first.
    case guessed(meanSeconds: [JobName: Double])

    /// Nil for a cell without test cases.
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

    /// How many test cases of a cell a budget in microseconds buys, at least one.
    func size(of cell: WaitingCell, budget: Int) -> Int {
        switch self {
        case .learned(let lines): lines[cell.key]?.size(cell, budget: budget) ?? 1
        case .guessed(let means):
            max(1, min(cell.count, budget / Self.microseconds(means[cell.job])))
        }
    }

    /// Whether anything is known of what the tests of a job take.
    func knows(_ job: JobName) -> Bool {
        if case .guessed(let means) = self { means[job] != nil } else { true }
    }

    /// At least one, and nothing that overflows when it is summed up.
    private static func microseconds(_ seconds: Double?) -> Int {
        let seconds = seconds ?? FarmLimits.testSecondsGuess
        return max(1, Int(min(max(seconds, 0), FarmLimits.reportSecondsMax) * 1_000_000))
    }
}
