// What a claim is decided by, and the decision: values between the ledger and ``ClaimRules``.
import FarmCore

/// Test cases of one job and cell, as far as the worker that asks may take them.
package struct WaitingCell: Hashable, Sendable {
    package var job: JobName
    package var cell: CellID
    /// Queued test cases that may run together.
    package var count: Int
    /// Queued test cases that must run alone: suspects of having killed a worker.
    package var alone: Int = 0
    /// Queued test cases that run together, with nothing else on their host.
    package var isolated: Int = 0
    /// Test cases under live leases.
    package var leased: Int = 0
    /// Workers that have live leases.
    package var workers: Int = 0
    /// Before a lease's first test.
    package var start: LeaseStart = .none

    var key: CellKey { CellKey(job: job, cell: cell) }
}

/// What a claim is decided by.
package struct ClaimQuestion: Hashable, Sendable {
    /// Every cell that is not done, also those of which nothing waits.
    package var waiting: [WaitingCell]
    /// Live leases by job, also of cells that do not wait; only jobs that have some.
    package var leasesOfJob: [JobName: Int] = [:]
    package var costs: ExpectedCosts = .guessed(meanSeconds: [:])
    /// Workers that share the run, at least 1.
    package var workers: Int
    /// The cell the worker ran last.
    package var warm: CellID?
    /// Jobs that run alone: while one has a live lease, no other job of the run is leased.
    package var exclusive: Set<JobName> = []
    /// The time limits of the jobs; without them a lease may take any time.
    package var timeouts: [JobName: JobTimeouts] = [:]
    /// Most test cases of the lease, at least 1.
    package var sizeMax: Int = FarmLimits.testsPerLeaseMax

    /// Whether a job may run beside what runs.
    func allows(_ job: JobName) -> Bool { leasesOfJob.isEmpty || !exclusive.contains(job) }

    /// A job that allows nothing beside it runs.
    var isClosed: Bool {
        !exclusive.isEmpty && leasesOfJob.keys.contains { exclusive.contains($0) }
    }
}

/// What to lease next.
package struct ClaimChoice: Hashable, Sendable {
    package var job: JobName
    package var cell: CellID
    /// Test cases, at least 1: the longest that wait.
    package var size: Int
    package var company: LeaseCompany
}
