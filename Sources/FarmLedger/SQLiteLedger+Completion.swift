// The end of a lease by its worker's word: its last reports, then the lease itself, in one change.
// Answered once, and asked again, it says the same: whatever was kept is a duplicate.
import FarmCore
import Foundation
import GRDB

extension SQLiteLedger {
    package func complete(
        _ token: LeaseToken,
        reports: [TestReport],
        evidence: LeaseEvidence,
        now: Milliseconds
    ) async throws -> CompletionReceipt {
        let (leftOver, start) = (evidence.leftOver, evidence.start)
        // The one writer has other things to do.
        let evidence = try Self.encode(evidence)
        return try await write { db in
            // What they say of their worker may end the lease; its completion is stale then.
            let kept =
                reports.isEmpty
                ? ReportReceipt(answers: [], requeued: false)
                : try self.keep(reports, under: token, now: now, db)
            let ended = try self.end(token.epoch, as: "done", evidence: evidence, now: now, db)
            guard let run = ended else {
                let state = try self.state(of: token.epoch, db)
                return CompletionReceipt(
                    answer: state == "done" ? .duplicate : .stale,
                    answers: kept.answers
                )
            }
            if let start { try self.count(start, of: token.epoch, db) }
            try self.settleUnreported(token.epoch, leftOver: leftOver, now: now, db)
            return CompletionReceipt(
                answer: .accepted,
                answers: kept.answers,
                mayEndRun: try self.mayEnd(run, db),
                leavesWork: try kept.requeued || self.somethingWaits(db)
            )
        }
    }

    /// Counts what a lease took before its first test.
    private func count(_ start: MeasuredStart, of epoch: Int64, _ db: Database) throws {
        let one = MeasuredStarts(start)
        try changeCounts(
            """
            warm_leases = warm_leases + ?, warm_sum = warm_sum + ?,
              cold_leases = cold_leases + ?, cold_sum = cold_sum + ?
            WHERE (run, job, cell) = (SELECT run, job, cell FROM lease WHERE epoch = ?)
            """,
            [one.warm.leases, one.warm.sum, one.cold.leases, one.cold.sum, epoch],
            db
        )
    }

    /// Lets wait again what a worker had no time for; a test that it left out counts as lost.
    ///
    /// So does what is left over where nothing was done: a lying worker cannot keep a run open for
    /// ever.
    private func settleUnreported(
        _ epoch: Int64,
        leftOver: [TestID],
        now: Milliseconds,
        _ db: Database
    ) throws {
        let left = try Row.fetchAll(
            db.cachedStatement(
                sql: "SELECT id, test FROM test_case WHERE epoch = ? AND state = 1"
            ),
            arguments: [epoch]
        ).map { (id: $0[0] as Int64, name: TestID($0[1] as String)) }
        guard !left.isEmpty else { return }
        let named = Set(leftOver)
        let hasReports = try named.isEmpty ? false : self.hasReports(epoch, db)
        for testCase in left where !hasReports || !named.contains(testCase.name) {
            try countLost(testCase.id, epoch: epoch, now: now, db)
        }
        if hasReports { try requeue(epoch, db) }
    }

    private func hasReports(_ epoch: Int64, _ db: Database) throws -> Bool {
        let attempts = try db.cachedStatement(
            sql: """
                SELECT EXISTS (
                  SELECT 1 FROM lease l
                  JOIN test_case t ON (t.run, t.job, t.cell) = (l.run, l.job, l.cell)
                  JOIN attempt a ON a.test_case = t.id AND a.epoch = l.epoch
                  WHERE l.epoch = ?)
                """
        )
        return try Bool.fetchOne(attempts, arguments: [epoch]) ?? false
    }

    /// Whether a run has no live lease, and nothing of it will be leased.
    private func mayEnd(_ run: RunID, _ db: Database) throws -> Bool {
        let ended = try db.cachedStatement(
            sql: """
                SELECT NOT EXISTS (SELECT 1 FROM lease WHERE state = 'live' AND run = r.id)
                  AND (stopped IS NOT NULL OR NOT EXISTS (
                    SELECT 1 FROM cell_progress c WHERE c.run = r.id AND c.done < c.planned))
                FROM run r WHERE id = ?
                """
        )
        return try Bool.fetchOne(ended, arguments: [run.text]) ?? true
    }

    /// Whether a test case of any run that is worked for waits.
    private func somethingWaits(_ db: Database) throws -> Bool {
        let waiting = try db.cachedStatement(
            sql: """
                SELECT EXISTS (SELECT 1 FROM run r WHERE r.state = 'running'
                  AND r.stopped IS NULL AND EXISTS (
                    SELECT 1 FROM test_case t WHERE t.run = r.id AND t.state = 0))
                """
        )
        return try Bool.fetchOne(waiting) ?? false
    }
}
