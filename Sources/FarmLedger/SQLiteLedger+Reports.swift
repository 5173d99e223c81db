// Reports: kept once, only under the current epoch. `AttemptRules` decides the next step of each
// test case.
import FarmCore
import Foundation
import GRDB

extension SQLiteLedger {
    package func report(
        _ token: LeaseToken,
        _ reports: [TestReport],
        now: Milliseconds
    ) async throws -> ReportReceipt {
        try await write { db in
            let receipt = try self.keep(reports, under: token, now: now, db)
            // A lease that has ended with these reports needs no time of its last report.
            try db.executeKept(
                sql: "UPDATE lease SET heard = ? WHERE epoch = ? AND state = 'live'",
                arguments: [now, token.epoch]
            )
            return receipt
        }
    }

    /// Stores reports within a transaction, and returns the ledger's answers.
    func keep(
        _ reports: [TestReport],
        under token: LeaseToken,
        now: Milliseconds,
        _ db: Database
    ) throws -> ReportReceipt {
        guard let lease = try LeaseFacts(epoch: token.epoch, self, db) else {
            throw LedgerError.noLease(token.id)
        }
        for report in reports where !report.pictures.areOf(lease.cellID) {
            throw ReportFault(report.test.text, "a picture is of another cell than the lease's")
        }
        var change = ReportChange(lease: lease, now: now)
        let answers = try reports.map { try keep($0, &change, db) }
        try change.count.add(to: lease, self, db)
        try endIfTrimmed(lease.epoch, now: now, db)
        return ReportReceipt(answers: answers, requeued: change.hasNewWork)
    }

    private func keep(
        _ report: TestReport,
        _ change: inout ReportChange,
        _ db: Database
    ) throws -> FencedAnswer {
        let lease = change.lease
        let select = try db.cachedStatement(
            sql: """
                SELECT id, state, epoch, attempts FROM test_case
                WHERE run = ? AND job = ? AND cell = ? AND test = ?
                """
        )
        guard
            let row = try Row.fetchOne(
                select,
                arguments: [lease.run.text, lease.job, lease.cell, report.test.text]
            )
        else { return .stale }
        let testCase: Int64 = row[0]
        guard row[1] == 1, row[2] as Int64? == lease.epoch else {
            // The same report again: the first answer was lost. A test that counted as lost under
            // this lease has no report, and a late one is not kept.
            return try reported(testCase, under: lease.epoch, db) ? .duplicate : .stale
        }
        let earlier = row[3] == 0 ? [] : try AttemptColumns.attempts(of: testCase, report.test, db)
        let attempt = Attempt(worker: lease.worker, outcome: .reported(report))
        try advance(testCase, report.test, earlier, attempt, &change, db)
        return .accepted
    }

    private func reported(_ testCase: Int64, under epoch: Int64, _ db: Database) throws -> Bool {
        let outcome = try Data.fetchOne(
            db.cachedStatement(
                sql: "SELECT outcome FROM attempt WHERE test_case = ? AND epoch = ?"
            ),
            arguments: [testCase, epoch]
        )
        guard let outcome else { return false }
        return try outcome != Self.encode(Attempt.Outcome.workerLost)
    }

    /// Counts the loss of a worker as an attempt of the test case it ran.
    func countLost(_ testCase: Int64, epoch: Int64, now: Milliseconds, _ db: Database) throws {
        guard let lease = try LeaseFacts(epoch: epoch, self, db),
            let name = try String.fetchOne(
                db.cachedStatement(sql: "SELECT test FROM test_case WHERE id = ?"),
                arguments: [testCase]
            )
        else { return }
        let test = TestID(name)
        var change = ReportChange(lease: lease, now: now)
        let earlier = try AttemptColumns.attempts(of: testCase, test, db)
        let attempt = Attempt(worker: lease.worker, outcome: .workerLost)
        try advance(testCase, test, earlier, attempt, &change, db)
        try change.count.add(to: lease, self, db)
    }

    /// Stores an attempt of a test case, and applies the step that `AttemptRules` derives from all
    /// attempts.
    private func advance(
        _ testCase: Int64,
        _ test: TestID,
        _ earlier: [Attempt],
        _ attempt: Attempt,
        _ change: inout ReportChange,
        _ db: Database
    ) throws {
        let lease = change.lease
        try insert(attempt, of: testCase, change, db)
        change.count.add(attempt)
        var context = try context(of: attempt, after: earlier.last, &change, db)
        let name = try noteChange(of: attempt, lease, &context, db)
        let step = AttemptRules.step(
            after: earlier + [attempt],
            job: lease.planned,
            mode: lease.mode,
            context: context
        )
        switch step {
        case .final(let verdict, let note):
            let finish = try db.cachedStatement(
                sql: """
                    UPDATE test_case SET state = 2, epoch = NULL, verdict = ?, note = ?,
                      change = ?, attempts = attempts + 1 WHERE id = ?
                    """
            )
            try finish.execute(arguments: [verdict.rawValue, note, name, testCase])
            change.count.add(final: verdict)
            if let name, note.isEmpty { try settle(name, as: verdict, of: lease.run, db) }
            try noteFinal(verdict, test, attempt, context, change, db)
        case .again(let alone):
            try wait(testCase, alone ? .alone : .others, avoid: lease.worker, name, &change, db)
            // The same change in many cells has one cause and counts one retry.
            if attempt.report != nil, try isFirst(name, of: testCase, lease.run, db) {
                try countRetry(of: lease.run, db)
            }
        case .isolated:
            // On any worker, because the host may be the cause.
            try wait(testCase, .isolated, avoid: nil, name, &change, db)
        case .confirm:
            try wait(testCase, .others, avoid: lease.worker, name, &change, db)
        case .repetition:
            try wait(testCase, .others, avoid: nil, name, &change, db)
        }
        try withdrawIfSuspended(&change, db)
    }

    private func insert(
        _ attempt: Attempt,
        of testCase: Int64,
        _ change: ReportChange,
        _ db: Database
    ) throws {
        let columns = try AttemptColumns(attempt.outcome)
        let insert = try db.cachedStatement(
            sql: """
                INSERT INTO attempt (test_case, epoch, worker, outcome, ended, seconds, started)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """
        )
        try insert.execute(arguments: [
            testCase, change.lease.epoch, change.lease.worker.text, columns.outcome, change.now,
            columns.seconds, columns.started,
        ])
    }

    /// Lets a test case wait for another attempt.
    private func wait(
        _ testCase: Int64,
        _ company: LeaseCompany,
        avoid worker: WorkerID?,
        _ name: String?,
        _ change: inout ReportChange,
        _ db: Database
    ) throws {
        try db.executeKept(
            sql: """
                UPDATE test_case SET state = 0, epoch = NULL, alone = ?, avoid = ?, change = ?,
                  attempts = attempts + 1 WHERE id = ?
                """,
            arguments: [company.rawValue, worker?.text, name, testCase]
        )
        change.count.requeued += 1
    }
}
