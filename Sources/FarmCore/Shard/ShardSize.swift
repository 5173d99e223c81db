// How many test cases a lease gets. Guided self-scheduling (Polychronopoulos and Kuck 1987): a
// worker takes its share of what is left, so leases shrink toward the end and no worker idles; but
// never below what a lease costs to begin, which a handful of quick tests would not earn back.

package enum ShardSize {
    /// Test cases for the next lease of a cell.
    ///
    /// `waitingInCell` counts the queued test cases of the cell and job (at least 1), `waiting` those
    /// of the whole run, `workers` those that share the run (at least 1); `meanSeconds` is what a
    /// test case of this job has taken so far in this run, nil before the first.
    package static func next(
        waitingInCell: Int,
        waiting: Int,
        workers: Int,
        meanSeconds: Double? = nil
    ) -> Int {
        let share = (waiting + 2 * workers - 1) / max(1, 2 * workers)
        let useful = leastUseful(meanSeconds)
        // What is left is soon done: shared out at once, in leases worth their start.
        let all = (waiting + workers - 1) / max(1, workers)
        let wanted = share < useful ? max(useful, all) : share
        return max(1, min(waitingInCell, wanted, FarmLimits.testsPerLeaseMax))
    }

    /// Test cases that fill `FarmLimits.leaseSecondsMin`; 1 where nothing is known.
    private static func leastUseful(_ meanSeconds: Double?) -> Int {
        guard let meanSeconds, meanSeconds.isFinite, meanSeconds >= 0 else { return 1 }
        // The quotient is bounded before it becomes an Int.
        let quickest = FarmLimits.leaseSecondsMin / Double(FarmLimits.testsPerLeaseMax)
        return max(1, Int(FarmLimits.leaseSecondsMin / max(meanSeconds, quickest)))
    }

    /// The leases a plan would be cut into if all test cases took the same time.
    ///
    /// Sizes by (job, cell), in plan order; a forecast, since shards are cut at claim.
    package static func forecast(_ plan: Plan, workers: Int) -> [[Int]] {
        var waiting = plan.testCount
        return plan.jobs.indices.flatMap { job in
            plan.jobs[job].job.cells.indices.map { cell in
                var left = plan.testCount(job: job, cell: cell)
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
