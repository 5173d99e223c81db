// The input and the result of ``ClaimRules``: values between the ledger and the rule.
import FarmCore

/// The test cases of one job and cell that the claiming worker may take.
package struct WaitingCell: Hashable, Sendable {
    package var job: JobName
    package var cell: CellID
    /// The number of waiting test cases that may run together.
    package var count: Int
    /// The number of waiting test cases that must run alone, because they may have killed a worker.
    package var alone: Int = 0
    /// The number of waiting test cases that run together, with nothing else on their host.
    package var isolated: Int = 0
    /// The number of the cell's test cases under live leases.
    package var leased: Int = 0
    /// The number of workers with live leases of the cell.
    package var workers: Int = 0
    /// The expected time from a lease's grant to its first test.
    package var start: LeaseStart = .none

    var key: CellKey { CellKey(job: job, cell: cell) }
}

/// The input of a claim.
package struct ClaimQuestion: Hashable, Sendable {
    /// Every cell that is not done, also one without waiting test cases.
    package var waiting: [WaitingCell]
    /// The number of live leases of each job that has some, also of jobs whose cells do not wait.
    package var leasesOfJob: [JobName: Int] = [:]
    package var costs: ExpectedCosts = .guessed(meanSeconds: [:])
    /// The number of workers that share the run, at least 1.
    package var workers: Int
    /// The cell of the claiming worker's last lease, or `nil` if it had none.
    package var warm: CellID?
    /// Jobs that run alone: while one has a live lease, no other job of the run is leased.
    package var exclusive: Set<JobName> = []
    /// The time limits of jobs; a lease of a job without limits may take any time.
    package var timeouts: [JobName: JobTimeouts] = [:]
    /// The most test cases of the next lease, at least 1.
    package var sizeMax: Int = FarmLimits.testsPerLeaseMax

    /// Whether runs of other teams use the workers, too, so that no lease should take long.
    package var isShared = false

    /// Returns whether a job may run beside the jobs that run now.
    func allows(_ job: JobName) -> Bool { leasesOfJob.isEmpty || !exclusive.contains(job) }

    /// Whether a job runs now that allows no other job beside it.
    var isClosed: Bool {
        !exclusive.isEmpty && leasesOfJob.keys.contains { exclusive.contains($0) }
    }
}

/// The result of a claim: the next lease.
package struct ClaimChoice: Hashable, Sendable {
    package var job: JobName
    package var cell: CellID
    /// The number of test cases to lease, at least 1; the longest that wait are taken.
    package var size: Int
    package var company: LeaseCompany
}
