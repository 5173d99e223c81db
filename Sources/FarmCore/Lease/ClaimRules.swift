// Which work a worker gets next. Pure: the ledger shows what waits, this decides, the ledger
// leases it in the same transaction.

/// Test cases of one job and cell that wait, as far as this worker may take them.
package struct WaitingCell: Hashable, Sendable {
    package var job: JobName
    package var cell: CellID
    /// Queued test cases that may run together.
    package var count: Int
    /// Queued test cases that must run alone: suspects of having killed a worker.
    package var alone: Int
    /// Queued test cases that must run with nothing else on their host.
    package var quiet: Int
    /// What a finished test case of the job took on average in this run; nil before the first.
    package var meanSeconds: Double?
    /// Test cases under live leases.
    package var leased: Int

    package init(
        job: JobName,
        cell: CellID,
        count: Int,
        alone: Int,
        quiet: Int = 0,
        meanSeconds: Double? = nil,
        leased: Int = 0
    ) {
        self.job = job
        self.cell = cell
        self.count = count
        self.alone = alone
        self.quiet = quiet
        self.meanSeconds = meanSeconds
        self.leased = leased
    }

    var key: CellKey { CellKey(job: job, cell: cell) }
}

/// Live leases of one job and cell.
package struct ActiveLease: Hashable, Sendable {
    package var job: JobName
    package var cell: CellID
    package var count: Int

    package init(job: JobName, cell: CellID, count: Int = 1) {
        self.job = job
        self.cell = cell
        self.count = count
    }
}

/// What a claim is decided by.
package struct ClaimQuestion: Hashable, Sendable {
    package var waiting: [WaitingCell]
    package var active: [ActiveLease]
    /// Workers that share the run, at least 1.
    package var workers: Int
    /// The cell the worker ran last.
    package var warm: CellID?
    /// Beside a job of these nothing else runs.
    package var exclusive: Set<JobName>
    /// Bounds the lease, at least 1.
    package var sizeMax: Int

    package init(
        waiting: [WaitingCell],
        active: [ActiveLease],
        workers: Int,
        warm: CellID?,
        exclusive: Set<JobName> = [],
        sizeMax: Int = FarmLimits.testsPerLeaseMax
    ) {
        self.waiting = waiting
        self.active = active
        self.workers = workers
        self.warm = warm
        self.exclusive = exclusive
        self.sizeMax = sizeMax
    }
}

/// What to lease next.
package struct ClaimChoice: Hashable, Sendable {
    package var job: JobName
    package var cell: CellID
    package var size: Int
    package var company: LeaseCompany

    package init(job: JobName, cell: CellID, size: Int, company: LeaseCompany) {
        self.job = job
        self.cell = cell
        self.size = size
        self.company = company
    }
}

package enum ClaimRules {
    /// Chooses job, cell and size for one claim; nil when nothing waits.
    ///
    /// Jobs with the fewest live leases come first, so that unit and snapshot jobs run side by
    /// side; then the cell the worker is warm for; then the cell with the fewest leases and the
    /// most work. Suspects wait until nothing else does, and what needs a quiet host after them.
    package static func choose(_ question: ClaimQuestion) -> ClaimChoice? {
        let (active, exclusive) = (question.active, question.exclusive)
        guard !active.contains(where: { exclusive.contains($0.job) }) else { return nil }
        let allowed = question.waiting.filter { active.isEmpty || !exclusive.contains($0.job) }
        let all = allowed.reduce(0) { $0 + $1.count }
        let leases = LiveLeases(active)
        let candidates = allowed.filter { $0.count > 0 }.map { ($0, rank($0)) }
        guard let (best, _) = candidates.min(by: { $0.1 < $1.1 }) else {
            let alone = allowed.first { $0.alone > 0 }.map { ($0, LeaseCompany.alone) }
            let single = alone ?? allowed.first { $0.quiet > 0 }.map { ($0, .quiet) }
            return single.map { cell, company in
                ClaimChoice(job: cell.job, cell: cell.cell, size: 1, company: company)
            }
        }
        let size = ShardSize.next(
            waitingInCell: best.count,
            waiting: all,
            workers: question.workers,
            meanSeconds: best.meanSeconds
        )
        return ClaimChoice(
            job: best.job,
            cell: best.cell,
            size: min(size, question.sizeMax),
            company: .others
        )

        func rank(_ cell: WaitingCell) -> (Int, Int, Int, Int, String) {
            let ofJob = leases.ofJob[cell.job] ?? 0
            let ofCell = leases.ofCell[cell.job]?[cell.cell] ?? 0
            let isWarm = cell.cell == question.warm ? 0 : 1
            return (ofJob, isWarm, ofCell, -cell.count, cell.job.text + "/" + cell.cell.text)
        }
    }
}

/// Live leases counted once: hundreds of workers ask, and each choice looks at every cell.
private struct LiveLeases {
    var ofJob: [JobName: Int] = [:]
    var ofCell: [JobName: [CellID: Int]] = [:]

    init(_ active: [ActiveLease]) {
        for lease in active {
            ofJob[lease.job, default: 0] += lease.count
            ofCell[lease.job, default: [:]][lease.cell, default: 0] += lease.count
        }
    }
}
