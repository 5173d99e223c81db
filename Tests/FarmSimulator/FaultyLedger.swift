// A ledger with one planted bug: SQL writes the wrong state that the bug would cause, and the
// answers are those of a ledger with the bug.
import FarmCore
import FarmLedger
import Foundation
import GRDB

final class FaultyLedger: LedgerDecorator {
    let ledger: any Ledger
    private let database: any DatabaseWriter
    private let bug: PlantedBug

    init(_ ledger: SQLiteLedger, over database: any DatabaseWriter, bug: PlantedBug) {
        self.ledger = ledger
        self.database = database
        self.bug = bug
    }

    private func execute(_ sql: String, _ arguments: StatementArguments = []) async throws {
        try await database.write { try $0.execute(sql: sql, arguments: arguments) }
    }

    // MARK: runs

    func openRun(_ run: NewRun, now: Milliseconds) async throws -> RunID {
        var known = run
        if bug == .ignoredRenderer { known.plan.drawn = nil }
        let id = try await ledger.openRun(known, now: now)
        if bug == .forgottenCell, let job = run.plan.jobs.last, job.job.cells.count > 1 {
            let place: StatementArguments = [
                id.text, run.plan.jobs.count - 1, job.job.cells.count - 1,
            ]
            for table in ["test_case", "cell_progress"] {
                try await execute(
                    "DELETE FROM \(table) WHERE run = ? AND job = ? AND cell = ?",
                    place
                )
            }
        }
        return id
    }

    func close(_ run: RunID, judged: JudgedRun, now: Milliseconds) async throws {
        try await ledger.close(run, judged: judged, now: now)
    }

    func evidence(
        _ run: RunID
    ) async throws -> (tests: [TestEvidence], leases: [LeaseEvidence]) {
        if bug == .picturesWithTheLease {
            try await execute(
                """
                UPDATE attempt SET outcome = CAST(
                  json_remove(CAST(outcome AS TEXT), '$.reported._0.pictures') AS BLOB)
                WHERE json_valid(CAST(outcome AS TEXT)) AND epoch IN (
                  SELECT epoch FROM lease WHERE state NOT IN ('live', 'done'))
                """
            )
        }
        return try await ledger.evidence(run)
    }

    // MARK: leases

    func hello(_ worker: WorkerID, now: Milliseconds) async throws {
        try await ledger.hello(worker, now: now)
    }

    func claim(
        worker: WorkerID,
        request: String,
        warm: CellID?,
        reach: PipelineReach,
        now: Milliseconds
    ) async throws -> Lease? {
        let lease = try await ledger.claim(
            worker: worker,
            request: request,
            warm: warm,
            reach: reach,
            now: now
        )
        if bug == .secondLease, lease == nil, try await hasLease(worker) {
            // Under another name, because the table allows a worker only one lease.
            let twin = WorkerID("\(worker)-twin")
            return try await ledger.claim(worker: twin, request: request, warm: warm, now: now)
        }
        guard bug == .doubleLease, lease == nil else { return lease }
        try await execute(
            """
            INSERT OR IGNORE INTO lease (run, worker, request, job, cell, state, granted, deadline)
            SELECT run, ?, ?, job, cell, 'live', ?, ? FROM test_case WHERE state = 1
              AND NOT EXISTS (SELECT 1 FROM lease WHERE worker = ? AND request = ?) LIMIT 1
            """,
            [worker.text, request, now, now + 30_000, worker.text, request]
        )
        try await execute(
            """
            UPDATE test_case SET epoch = (SELECT epoch FROM lease WHERE worker = ? AND request = ?)
            WHERE id = (SELECT t.id FROM test_case t JOIN lease l ON l.run = t.run
              AND l.job = t.job AND l.cell = t.cell
              WHERE t.state = 1 AND l.worker = ? AND l.request = ? AND l.state = 'live' LIMIT 1)
            """,
            [worker.text, request, worker.text, request]
        )
        return try await ledger.claim(worker: worker, request: request, warm: warm, now: now)
    }

    private func hasLease(_ worker: WorkerID) async throws -> Bool {
        try await database.read { db in
            let select = "SELECT EXISTS (SELECT 1 FROM lease WHERE worker = ? AND state = 'live')"
            return try Bool.fetchOne(db, sql: select, arguments: [worker.text]) ?? false
        }
    }

    func renew(
        _ token: LeaseToken,
        running: TestID?,
        started: [TestID],
        reached: Int,
        now: Milliseconds
    ) async throws -> FencedAnswer {
        let answer = try await ledger.renew(
            token,
            running: running,
            started: started,
            reached: reached,
            now: now
        )
        return bug == .lateRenewal ? .accepted : answer
    }

    func report(
        _ token: LeaseToken,
        _ reports: [TestReport],
        now: Milliseconds
    ) async throws -> ReportReceipt {
        var receipt = try await ledger.report(token, reports, now: now)
        if try await mistake(reports, of: token, &receipt.answers) { receipt.requeued = true }
        return receipt
    }

    /// Applies a bug in keeping reports; returns whether test cases wait again.
    private func mistake(
        _ reports: [TestReport],
        of token: LeaseToken,
        _ answers: inout [FencedAnswer]
    ) async throws -> Bool {
        switch bug {
        case .lateReport:
            for (place, report) in reports.enumerated() where answers[place] == .stale {
                try await trust(report, of: token)
                answers[place] = .accepted
            }
            return false
        case .retryHidesNew: return try await retryNew()
        default: return false
        }
    }

    private func trust(_ report: TestReport, of token: LeaseToken) async throws {
        try await execute(
            """
            UPDATE test_case SET state = 2, epoch = NULL, verdict = ? WHERE test = ?
              AND (run, job, cell) IN (SELECT run, job, cell FROM lease WHERE epoch = ?)
            """,
            [report.ending.isGood ? "passed" : "failed", report.test.text, token.epoch]
        )
    }

    /// Runs new cases once more, and trusts only the second attempt.
    private func retryNew() async throws -> Bool {
        try await execute(
            "UPDATE test_case SET verdict = 'passed' WHERE verdict = 'new' AND attempts > 1"
        )
        return try await database.write { db in
            try db.execute(
                sql: """
                    UPDATE cell_progress SET (done, bad) = (
                      SELECT done - count(*), bad - count(*) FROM test_case t
                      WHERE t.verdict = 'new' AND t.run = cell_progress.run
                        AND t.job = cell_progress.job AND t.cell = cell_progress.cell)
                    """
            )
            try db.execute(
                sql: """
                    UPDATE test_case SET state = 0, verdict = NULL, avoid = (
                      SELECT worker FROM attempt WHERE test_case = test_case.id)
                    WHERE verdict = 'new'
                    """
            )
            return db.changesCount > 0
        }
    }

    func complete(
        _ token: LeaseToken,
        reports: [TestReport],
        evidence: LeaseEvidence,
        now: Milliseconds
    ) async throws -> CompletionReceipt {
        var receipt = try await ledger.complete(
            token,
            reports: reports,
            evidence: evidence,
            now: now
        )
        if try await mistake(reports, of: token, &receipt.answers) { receipt.leavesWork = true }
        guard bug == .doubleCompletion, receipt.answer == .duplicate else { return receipt }
        try await execute(
            """
            UPDATE cell_progress SET reports = reports + 1 WHERE (run, job, cell) IN
              (SELECT run, job, cell FROM lease WHERE epoch = ?)
            """,
            [token.epoch]
        )
        return CompletionReceipt(answer: .accepted, answers: receipt.answers)
    }

    func release(_ token: LeaseToken, now: Milliseconds) async throws -> FencedAnswer {
        guard bug == .lostRelease else { return try await ledger.release(token, now: now) }
        let live = try await database.write { db in
            try db.execute(
                sql: """
                    UPDATE lease SET state = 'released', ended = ?
                    WHERE epoch = ? AND state = 'live'
                    """,
                arguments: [now, token.epoch]
            )
            return db.changesCount == 1
        }
        return live ? .accepted : try await ledger.release(token, now: now)
    }

    // MARK: losses

    func takeBack(_ reason: LossReason, now: Milliseconds) async throws -> Int {
        var now = now
        if bug == .earlyExpiry, reason == .expired || reason == .stalled { now += 15_000 }
        let count = try await ledger.takeBack(reason, now: now)
        guard bug == .epochReset, reason == .restart else { return count }
        try await execute("DELETE FROM lease")
        try await execute("DELETE FROM sqlite_sequence WHERE name = 'lease'")
        return count
    }

    func extendLeases(seconds: Double, now: Milliseconds) async throws {
        // The bug affects every kind of restart.
        guard bug == .epochReset else {
            return try await ledger.extendLeases(seconds: seconds, now: now)
        }
        _ = try await takeBack(.restart, now: now)
    }

    // MARK: trust

    func registerWorker(
        _ worker: WorkerID,
        unfit: Problem?,
        offer: WorkerOffer?,
        beginsAnew: Bool,
        now: Milliseconds
    ) async throws {
        var offer = offer
        if bug == .ignoredNeed { for site in Scenario.sites { try offer?.add("site", site) } }
        try await ledger.registerWorker(
            worker,
            unfit: unfit,
            offer: offer,
            beginsAnew: beginsAnew,
            now: now
        )
    }
}
