// The expected times that a submitter sends with its run. They advise claims; no verdict depends on
// them.

/// The expected times of the tests of one job on one cell.
package struct CellCosts: Hashable, Sendable, Codable {
    /// Microseconds before the first test of a lease whose worker comes from another cell; 0 if
    /// unknown.
    package var start: Int
    /// Microseconds before the first test of a lease whose worker comes from the same cell, or
    /// `nil` if unknown.
    package var launch: Int?
    /// The expected microseconds of each test case, in the plan's order.
    package var tests: [Int]

    package init(start: Int, launch: Int? = nil, tests: [Int]) {
        self.start = start
        self.launch = launch
        self.tests = tests
    }
}

/// The expected times of all tests of a plan.
package struct PlanCosts: Hashable, Sendable, Codable {
    /// The times by the plan's jobs, then their cells, in the plan's order.
    package var cells: [[CellCosts]]

    package init(cells: [[CellCosts]]) { self.cells = cells }

    /// Makes the expected times of a plan, or `nil` if nothing was learned.
    ///
    /// Claims then use the mean of the tests that have ended.
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

    /// Whether the costs have exactly one time in the allowed range for each test case of the plan.
    ///
    /// The costs may come from any caller; sums of accepted times cannot overflow.
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
