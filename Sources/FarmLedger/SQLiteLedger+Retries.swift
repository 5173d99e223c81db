// The consequences of a report for workers and for its run: a worker's health, the retries left,
// and whether the run stops. All in the transaction that keeps the report.
import FarmCore
import Foundation
import GRDB

/// The changes of a report to its lease's cell, to workers and to leases, within one transaction.
struct ReportChange {
    let lease: LeaseFacts
    let now: Milliseconds
    var count = CellCount()
    /// Whether a change of health may let another worker work again.
    var freedOthers = false
    /// Whether the leases of the reporting worker, or of the whole run, were withdrawn.
    var isWithdrawn = false
    private var own: WorkerHealth?

    init(lease: LeaseFacts, now: Milliseconds) {
        self.lease = lease
        self.now = now
    }

    var hasNewWork: Bool { count.requeued > 0 || freedOthers || isWithdrawn }

    /// Changes the reporting worker's health with `change`, stores it, and returns the new health.
    @discardableResult
    mutating func ownHealth(
        _ ledger: SQLiteLedger,
        _ db: Database,
        _ change: (inout WorkerHealth) -> Void
    ) throws -> WorkerHealth {
        let before = try own ?? ledger.health(of: lease.worker, db)
        var after = before
        change(&after)
        // Nearly every report is a pass of a proven worker: nothing to write then.
        if after != before { try ledger.set(after, of: lease.worker, db) }
        own = after
        return after
    }
}

extension SQLiteLedger {
    /// Applies an attempt's consequences to the health of workers, and returns the context of
    /// `AttemptRules`.
    func context(
        of attempt: Attempt,
        after before: Attempt?,
        _ change: inout ReportChange,
        _ db: Database
    ) throws -> AttemptContext {
        let lease = change.lease
        var context = AttemptContext(repeats: lease.rules.repeats)
        guard let report = attempt.report else { return context }
        let verdict = AttemptRules.verdict(of: report, job: lease.planned, mode: lease.mode)
        let isFailure = AttemptRules.isFailure(verdict)
        let now = change.now
        let failedBefore =
            before?.report.map {
                AttemptRules.isFailure(
                    AttemptRules.verdict(of: $0, job: lease.planned, mode: lease.mode)
                )
            } ?? false
        // A test that failed before proves nothing about the worker that repeats it. Nor does a
        // change that no other worker could confirm, because the others draw otherwise.
        let isBlamed =
            try isFailure && !failedBefore
            && !(verdict == .changed && drawsAlone(lease, now: now, db))
        var health = try change.ownHealth(self, db) {
            if verdict == .passed { $0.passed() }
            if isBlamed { $0.failed(now: now) }
        }
        if let before, failedBefore, before.worker != lease.worker {
            if isFailure {
                health = try change.ownHealth(self, db) { $0.wasConfirmed() }
                try confirm(before.worker, &change, db)
            } else {
                try noteIfSuspended(before.worker, change, db)
            }
        }
        guard isFailure else { return context }
        let peers = try peers(beside: lease, now: now, db)
        context.asksAnother = health.asksAnother && peers.able > 0
        context.mayRetry =
            try retries(of: lease.run, db) < RunRules.retriesMax(planned: lease.testCount)
        return context
    }

    /// Notes in a worker's health that another worker failed the same test.
    private func confirm(
        _ worker: WorkerID,
        _ change: inout ReportChange,
        _ db: Database
    ) throws {
        var health = try health(of: worker, db)
        health.wasConfirmed()
        try set(health, of: worker, db)
        change.freedOthers = true
    }

    /// Adds a note to the run if the worker is suspended now, because another worker passed the
    /// test that this one failed.
    private func noteIfSuspended(
        _ worker: WorkerID,
        _ change: ReportChange,
        _ db: Database
    ) throws {
        let lease = change.lease
        let health = try health(of: worker, db)
        guard health.isSuspended(planned: lease.testCount, now: change.now) else { return }
        try note(
            .suspended(worker, failures: health.unconfirmed),
            about: worker.text,
            of: lease.run,
            now: change.now,
            db
        )
    }

    /// Withdraws the leases of the reporting worker if it is suspended now, so that others run its
    /// tests.
    func withdrawIfSuspended(_ change: inout ReportChange, _ db: Database) throws {
        let health = try change.ownHealth(self, db) { _ in }
        guard health.unconfirmed >= FarmLimits.unprovenTestsMax else { return }
        let lease = change.lease
        let standing = WorkerStanding(
            lease.worker,
            health,
            peers: try peers(beside: lease, now: change.now, db),
            planned: lease.testCount,
            now: change.now
        )
        guard standing.obstacle != nil else { return }
        try withdraw(leasesOf: lease.worker, now: change.now, db)
        change.isWithdrawn = true
    }

    // MARK: the run as a whole

    private func retries(of run: RunID, _ db: Database) throws -> Int {
        let select = try db.cachedStatement(sql: "SELECT retried FROM run WHERE id = ?")
        return try Int.fetchOne(select, arguments: [run.text]) ?? 0
    }

    func countRetry(of run: RunID, _ db: Database) throws {
        let update = try db.cachedStatement(
            sql: "UPDATE run SET retried = retried + 1 WHERE id = ?"
        )
        try update.execute(arguments: [run.text])
    }

    /// Applies a final verdict's consequences to the run: notes used-up retries, and stops a run
    /// that fails fast.
    func noteFinal(
        _ verdict: Verdict,
        _ test: TestID,
        _ attempt: Attempt,
        _ context: AttemptContext,
        _ change: ReportChange,
        _ db: Database
    ) throws {
        let lease = change.lease
        if !context.mayRetry, lease.planned.retries > 0 {
            let max = RunRules.retriesMax(planned: lease.testCount)
            try note(
                .retriesUsedUp(max, planned: lease.testCount),
                about: "",
                of: lease.run,
                now: change.now,
                db
            )
        }
        guard lease.rules.failsFast, lease.planned.isRed(verdict),
            try !isExcused(test, attempt, lease, db)
        else { return }
        let cell = lease.planned.cells[lease.cell].id
        let key = TestKey(job: lease.planned.name, cell: cell, test: test)
        try stop(lease.run, .stoppedEarly(key, verdict), now: change.now, db)
    }

    private func isExcused(
        _ test: TestID,
        _ attempt: Attempt,
        _ lease: LeaseFacts,
        _ db: Database
    ) throws -> Bool {
        guard !lease.rules.quarantine.isEmpty else { return false }
        let started = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT started FROM run WHERE id = ?"),
            arguments: [lease.run.text]
        )
        let quarantine = Quarantine(
            lease.rules.quarantine,
            cleanRuns: lease.cleanRuns,
            startedAt: started ?? 0
        )
        let cell = lease.planned.cells[lease.cell].id
        let key = TestKey(job: lease.planned.name, cell: cell, test: test)
        let excuse = quarantine.excuse(
            key,
            report: attempt.report,
            job: lease.planned,
            mode: lease.mode
        )
        return excuse != nil
    }

    /// Stops a run: withdraws its leases and lets no other test case of it be leased.
    private func stop(
        _ run: RunID,
        _ reason: Problem,
        now: Milliseconds,
        _ db: Database
    ) throws {
        try db.executeKept(
            sql: "UPDATE run SET stopped = ? WHERE id = ? AND stopped IS NULL",
            arguments: [now, run.text]
        )
        guard db.changesCount == 1 else { return }
        try note(reason, about: "", of: run, now: now, db)
        try withdraw(leasesOf: run, now: now, db)
    }
}
