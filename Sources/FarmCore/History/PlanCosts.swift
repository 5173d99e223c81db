// What whoever hands in a run knows of its costs: advice for claims, which no verdict rests on.

/// Expected times of one cell of one job.
package struct CellCosts: Hashable, Sendable, Codable {
    /// Microseconds before the first test of a lease whose worker comes from another cell; 0 where
    /// that is not known.
    package var start: Int
    /// The same of a lease whose worker comes from this cell; nil where that is not known.
    package var launch: Int?
    /// Microseconds of each test case, in the plan's order.
    package var tests: [Int]

    package init(start: Int, launch: Int? = nil, tests: [Int]) {
        self.start = start
        self.launch = launch
        self.tests = tests
    }
}

/// Expected times of a plan.
package struct PlanCosts: Hashable, Sendable, Codable {
    /// By the plan's jobs, then their cells.
    package var cells: [[CellCosts]]

    package init(cells: [[CellCosts]]) { self.cells = cells }

    /// Nil where nothing was learned: claims then go by the mean of what has ended.
    package init?(of plan: Plan, _ learned: LearnedCosts) {
        guard !learned.isEmpty else { return nil }
        cells = plan.jobs.enumerated().map { job, planned in
            planned.job.cells.enumerated().map { place, cell in
                let key = CellKey(job: planned.job.name, cell: cell.id)
                return CellCosts(
                    start: learned.start(key),
                    launch: learned.launch(key),
                    tests: plan.tests(job: job, cell: place).map {
                        learned.microseconds(TestKey(job: key.job, cell: key.cell, test: $0))
                    }
                )
            }
        }
    }

    /// Whether it has one sensible time for each test case of the plan, and no other.
    ///
    /// It may come from anywhere; sums of what passes cannot overflow.
    package func fits(_ plan: Plan) -> Bool {
        let sensible = 0...Int(FarmLimits.historySecondsMax) * 1_000_000
        guard cells.count == plan.jobs.count else { return false }
        return cells.enumerated().allSatisfy { job, cells in
            cells.count == plan.jobs[job].job.cells.count
                && cells.enumerated().allSatisfy { place, cell in
                    cell.tests.count == plan.testCount(job: job, cell: place)
                        && sensible.contains(cell.start) && sensible.contains(cell.launch ?? 0)
                        && cell.tests.allSatisfy { sensible.contains($0) }
                }
        }
    }
}
