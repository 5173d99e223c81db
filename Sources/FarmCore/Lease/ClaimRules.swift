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
    /// Queued test cases that run together, with nothing else on their host.
    package var quiet: Int
    /// Test cases under live leases.
    package var leased: Int
    /// Workers that have live leases.
    package var workers: Int

    package init(
        job: JobName,
        cell: CellID,
        count: Int,
        alone: Int,
        quiet: Int = 0,
        leased: Int = 0,
        workers: Int = 0
    ) {
        self.job = job
        self.cell = cell
        self.count = count
        self.alone = alone
        self.quiet = quiet
        self.leased = leased
        self.workers = workers
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

    var key: CellKey { CellKey(job: job, cell: cell) }
}

/// What a claim is decided by.
package struct ClaimQuestion: Hashable, Sendable {
    /// Cells of which nothing waits change nothing.
    package var waiting: [WaitingCell]
    /// Live leases by job, also of cells that do not wait; only jobs that have some.
    package var leasesOfJob: [JobName: Int]
    /// Workers that share the run, at least 1.
    package var workers: Int
    /// The cell the worker ran last.
    package var warm: CellID?
    /// The cell where the worker itself has a live lease: it ends before the next begins, so that
    /// nobody else is there because of it.
    package var own: CellKey?
    /// Beside a job of these nothing else runs.
    package var exclusive: Set<JobName>
    /// What a finished test case took on average in this run, by job; none before a job's first.
    package var meanSeconds: [JobName: Double]
    /// The time limits of the jobs; without them a lease may take any time.
    package var timeouts: [JobName: JobTimeouts]
    /// Bounds the lease, at least 1.
    package var sizeMax: Int

    package init(
        waiting: [WaitingCell],
        leasesOfJob: [JobName: Int],
        workers: Int,
        warm: CellID?,
        own: CellKey? = nil,
        exclusive: Set<JobName> = [],
        meanSeconds: [JobName: Double] = [:],
        timeouts: [JobName: JobTimeouts] = [:],
        sizeMax: Int = FarmLimits.testsPerLeaseMax
    ) {
        self.waiting = waiting
        self.leasesOfJob = leasesOfJob
        self.workers = workers
        self.warm = warm
        self.own = own
        self.exclusive = exclusive
        self.meanSeconds = meanSeconds
        self.timeouts = timeouts
        self.sizeMax = sizeMax
    }

    /// Counts the `active` leases, each of another worker, by job and into the cells that wait.
    package init(
        waiting: [WaitingCell],
        active: [ActiveLease],
        workers: Int,
        warm: CellID?,
        own: CellKey? = nil,
        exclusive: Set<JobName> = [],
        meanSeconds: [JobName: Double] = [:]
    ) {
        var ofCell: [CellKey: Int] = [:]
        var ofJob: [JobName: Int] = [:]
        for lease in active {
            ofCell[lease.key, default: 0] += lease.count
            ofJob[lease.job, default: 0] += lease.count
        }
        self.init(
            waiting: waiting.map { cell in
                var cell = cell
                cell.workers = ofCell[cell.key] ?? 0
                return cell
            },
            leasesOfJob: ofJob,
            workers: workers,
            warm: warm,
            own: own,
            exclusive: exclusive,
            meanSeconds: meanSeconds
        )
    }

    /// Test cases of a job that a lease may have.
    fileprivate func sizeMax(of job: JobName) -> Int {
        guard let timeouts = timeouts[job] else { return sizeMax }
        return min(sizeMax, ShardTime.sizeMax(timeouts, meanSeconds: meanSeconds[job]))
    }

    /// Whether a job may run beside what runs.
    fileprivate func allows(_ job: JobName) -> Bool {
        leasesOfJob.isEmpty || !exclusive.contains(job)
    }

    /// A job that allows nothing beside it runs.
    package var isClosed: Bool {
        !exclusive.isEmpty && leasesOfJob.keys.contains { exclusive.contains($0) }
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
    /// Jobs with the fewest live leases of others come first, so that unit and snapshot jobs run side by
    /// side; then the cell the worker is warm for; then the cell with the fewest workers and the
    /// most work. Suspects wait until nothing else does, and what needs a quiet host after them.
    package static func choose(_ question: ClaimQuestion) -> ClaimChoice? {
        guard !question.isClosed else { return nil }
        guard let (best, all) = best(of: question) else { return last(of: question) }
        let size = ShardSize.next(
            waitingInCell: best.count,
            waiting: all,
            workers: question.workers,
            meanSeconds: question.meanSeconds[best.job]
        )
        return ClaimChoice(
            job: best.job,
            cell: best.cell,
            size: min(size, question.sizeMax(of: best.job)),
            company: .others
        )
    }

    /// The cell that comes first, and how many test cases wait in all.
    ///
    /// Hundreds of workers ask, and each answer looks at every cell: nothing is copied or made.
    private static func best(of question: ClaimQuestion) -> (cell: WaitingCell, all: Int)? {
        let cells = question.waiting
        var all = 0
        var best: (place: Int, rank: Rank)?
        var job: (name: JobName, leases: Int, isAllowed: Bool)?
        for place in cells.indices where cells[place].count > 0 {
            // Cells come job by job.
            if job?.name != cells[place].job {
                let name = cells[place].job
                let others = (question.leasesOfJob[name] ?? 0) - (question.own?.job == name ? 1 : 0)
                job = (name, others, question.allows(name))
            }
            guard let job, job.isAllowed else { continue }
            all += cells[place].count
            // Its own lease makes no difference on the cell it is warm for: of a job there is one.
            let rank = Rank(
                leasesOfJob: job.leases,
                isCold: cells[place].cell != question.warm,
                workers: cells[place].workers,
                count: cells[place].count
            )
            if let best {
                if best.rank.isBefore(rank) { continue }
                if !rank.isBefore(best.rank), !isNamedBefore(cells[place], cells[best.place]) {
                    continue
                }
            }
            best = (place, rank)
        }
        return best.map { (cells[$0.place], all) }
    }

    /// What comes before what, but for names.
    private struct Rank {
        let leasesOfJob: Int
        let isCold: Bool
        let workers: Int
        let count: Int

        func isBefore(_ other: Rank) -> Bool {
            if leasesOfJob != other.leasesOfJob { return leasesOfJob < other.leasesOfJob }
            if isCold != other.isCold { return !isCold }
            if workers != other.workers { return workers < other.workers }
            return count > other.count
        }
    }

    private static func isNamedBefore(_ left: WaitingCell, _ right: WaitingCell) -> Bool {
        if left.job == right.job { return left.cell.text < right.cell.text }
        return left.job.text + "/" + left.cell.text < right.job.text + "/" + right.cell.text
    }

    /// What runs when nothing else waits: each suspect by itself, then a cell's quiet ones as one.
    private static func last(of question: ClaimQuestion) -> ClaimChoice? {
        let allowed = question.waiting.lazy.filter { question.allows($0.job) }
        if let cell = allowed.first(where: { $0.alone > 0 }) {
            return ClaimChoice(job: cell.job, cell: cell.cell, size: 1, company: .alone)
        }
        return allowed.first { $0.quiet > 0 }.map { cell in
            ClaimChoice(
                job: cell.job,
                cell: cell.cell,
                size: min(cell.quiet, question.sizeMax(of: cell.job)),
                company: .quiet
            )
        }
    }
}
