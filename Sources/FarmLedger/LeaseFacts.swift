// What every report under one lease shares, and what a transaction adds to a cell's counters.
import FarmCore
import GRDB

/// One lease and what its reports are judged by.
struct LeaseFacts {
    let epoch: Int64
    let run: RunID
    let worker: WorkerID
    /// Positions in the plan.
    let job: Int
    let cell: Int
    let planned: Job
    let cellID: CellID
    let mode: RunMode
    /// Test cases of the whole run.
    let testCount: Int
    let rules: RunRules
    /// The ids of its test cases; nil for a lease that was granted by another process.
    let testCases: [ExactName: Int64]?

    /// Nil where the ledger has no such lease.
    init?(epoch: Int64, _ ledger: SQLiteLedger, _ db: Database) throws {
        let known = ledger.boards.leases[epoch]
        guard let lease = try known ?? GrantedLease(epoch: epoch, db) else { return nil }
        self.epoch = epoch
        run = lease.run
        worker = lease.worker
        job = lease.job
        cell = lease.cell
        testCases = lease.testCases
        let plan = try ledger.plan(run, db)
        let place = try SQLiteLedger.place(in: plan, job: job, cell: cell)
        planned = place.job
        cellID = place.cell.id
        mode = plan.mode
        testCount = plan.testCount
        rules = plan.rules ?? RunRules()
    }
}

/// What one transaction adds to the counters of a cell.
///
/// The counters follow from the test cases; they are kept so that nobody counts thousands of rows
/// for every look at the progress.
struct CellCount {
    private(set) var done = 0
    private(set) var bad = 0
    private(set) var reports = 0
    private(set) var seconds = 0.0
    /// Test cases that wait again.
    var requeued = 0
    /// Test cases that no lease holds any more.
    private var unleased: Int { done + requeued }

    mutating func add(_ attempt: Attempt) {
        guard let report = attempt.report else { return }
        reports += 1
        seconds += report.seconds.isFinite ? max(0, report.seconds) : 0
    }

    mutating func add(final verdict: Verdict) {
        done += 1
        if verdict != .passed, verdict != .flaky { bad += 1 }
    }

    func add(to lease: LeaseFacts, _ ledger: SQLiteLedger, _ db: Database) throws {
        guard unleased + reports > 0 else { return }
        try ledger.changeCounts(
            """
            leased = leased - ?, done = done + ?, bad = bad + ?, reports = reports + ?,
              seconds = seconds + ? WHERE run = ? AND job = ? AND cell = ?
            """,
            [unleased, done, bad, reports, seconds, lease.run.text, lease.job, lease.cell],
            db
        )
    }
}
