// What is left of a run's costs, from counters alone. Test cases are leased longest first, so those
// that wait are the shortest of their cell: a count says what they are and what they sum up to.
// What waits again after a lost lease makes that an estimate, which the next claims mend.

/// The costs of one cell's test cases, longest first; microseconds.
package struct CostLine: Hashable, Sendable {
    /// Before a worker's first test there.
    let start: Int
    let costs: [Int]
    /// What a lease may be expected to take.
    let leaseMax: Int
    /// `sums[n]` is the sum of the `n` longest.
    private let sums: [Int]

    package init(start: Int, longestFirst costs: [Int], leaseMax: Int = .max) {
        self.start = start
        self.leaseMax = leaseMax
        self.costs = costs
        var sums = [0]
        for cost in costs { sums.append((sums.last ?? 0) + cost) }
        self.sums = sums
    }

    /// Those that wait if `count` do.
    func waiting(_ count: Int) -> ArraySlice<Int> { costs.suffix(count) }

    /// The cell as claims see it.
    func cell(
        _ key: CellKey,
        waiting count: Int,
        leased: Int,
        workers: Int,
        isOwn: Bool
    ) -> LearnedCell {
        let begun = max(0, costs.count - count)
        return LearnedCell(
            key: key,
            waiting: sums[costs.count] - sums[begun],
            count: count,
            longest: waiting(count).first ?? 0,
            workers: workers,
            isOwn: isOwn,
            leased: sums[begun] - sums[max(0, begun - leased)],
            start: start
        )
    }
}

/// The costs of a run whose submitter knew them.
package struct RunCosts: Hashable, Sendable {
    private let lines: [CellKey: CostLine]

    package init(_ lines: [CellKey: CostLine]) { self.lines = lines }

    /// Chooses for one claim as ``ClaimRules`` does, by ``LearnedClaims``.
    ///
    /// `waiting` has every cell that is not done, also those of which nothing waits.
    package func choose(_ question: ClaimQuestion) -> ClaimChoice? {
        // Suspects run when nothing else waits, whatever they cost.
        guard question.waiting.contains(where: { $0.count > 0 }) else {
            return ClaimRules.choose(question)
        }
        let cells = question.waiting.compactMap { waiting in
            lines[waiting.key]?.cell(
                waiting.key,
                waiting: waiting.count,
                leased: waiting.leased,
                workers: waiting.workers,
                isOwn: question.own == waiting.key
            )
        }
        let chosen = LearnedClaims.choose(
            cells,
            workers: question.workers,
            warm: question.waiting.first { $0.cell == question.warm && $0.count > 0 }?.key,
            exclusive: question.exclusive
        )
        guard let chosen, let count = cells.first(where: { $0.key == chosen.key })?.count,
            let line = lines[chosen.key]
        else { return nil }
        let budget = min(chosen.budget, line.leaseMax)
        let size = LearnedClaims.size(of: line.waiting(count), budget: budget)
        return ClaimChoice(
            job: chosen.key.job,
            cell: chosen.key.cell,
            size: min(size, question.sizeMax),
            company: .others
        )
    }
}
