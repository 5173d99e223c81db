// How many test cases a lease gets. Guided self-scheduling (Polychronopoulos and Kuck 1987): a
// worker takes its share of what is left, so leases shrink toward the end and no worker idles.

package enum ShardSize {
    /// Test cases for the next lease of a cell.
    ///
    /// `waitingInCell` counts the queued test cases of the cell and job (at least 1), `waiting` those
    /// of the whole run, `workers` those that share the run (at least 1).
    package static func next(waitingInCell: Int, waiting: Int, workers: Int) -> Int {
        let share = (waiting + 2 * workers - 1) / max(1, 2 * workers)
        return max(1, min(waitingInCell, share, FarmLimits.testsPerLeaseMax))
    }

    /// The leases a plan would be cut into if all test cases took the same time.
    ///
    /// Sizes by (job, cell), in plan order; a forecast, since shards are cut at claim.
    package static func forecast(_ plan: Plan, workers: Int) -> [[Int]] {
        var waiting = plan.testCount
        return plan.jobs.flatMap { planned in
            planned.job.cells.map { _ in
                var left = planned.tests.count
                var sizes: [Int] = []
                while left > 0 {
                    let size = next(waitingInCell: left, waiting: waiting, workers: workers)
                    sizes.append(size)
                    left -= size
                    waiting -= size
                }
                return sizes
            }
        }
    }
}
