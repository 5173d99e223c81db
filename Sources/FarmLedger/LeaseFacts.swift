// The facts that all reports under one lease share, and the changes that one transaction makes to a
// cell's counters.
import FarmCore
import GRDB

/// A lease, with the parts of its plan by which its reports are judged.
struct LeaseFacts {
    let epoch: Int64
    let run: RunID
    let worker: WorkerID
    /// The position of the lease's job in the plan; `cell` is the position of its cell in the job.
    let job: Int
    let cell: Int
    let planned: Job
    let cellID: CellID
    let mode: RunMode
    /// The number of test cases in the whole run.
    let testCount: Int
    let rules: RunRules
    /// The plan's ``Plan/cleanRuns``.
    let cleanRuns: [String: Int]

    /// Reads a lease; returns `nil` if the ledger has no such lease.
    init?(epoch: Int64, _ ledger: SQLiteLedger, _ db: Database) throws {
        guard
            let row = try Row.fetchOne(
                db.cachedStatement(sql: "SELECT run, worker, job, cell FROM lease WHERE epoch = ?"),
                arguments: [epoch]
            )
        else { return nil }
        self.epoch = epoch
        run = RunID(row[0] as String)
        worker = WorkerID(row[1] as String)
        job = row[2]
        cell = row[3]
        let plan = try ledger.plan(run, db)
        let place = try SQLiteLedger.place(in: plan, job: job, cell: cell)
        planned = place.job
        cellID = place.cell.id
        mode = plan.mode
        testCount = plan.testCount
        rules = plan.rules ?? RunRules()
        cleanRuns = plan.cleanRuns ?? [:]
    }
}

/// The changes that one transaction makes to the counters of a cell.
///
/// The counters follow from the test cases. They are kept so that a look at the progress does not
/// count thousands of rows.
struct CellCount {
    private(set) var done = 0
    private(set) var bad = 0
    private(set) var reports = 0
    private(set) var seconds = 0.0
    /// The number of test cases that this transaction lets wait for a lease again.
    var requeued = 0
    /// The number of test cases that left their lease in this transaction.
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
