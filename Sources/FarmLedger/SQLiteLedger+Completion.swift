// The completion of a lease: its last reports, then its end, in one change. A repeated completion
// answers `duplicate` and changes nothing.
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
        // Encoded before the transaction, which is the ledger's only one.
        let evidence = try Self.encode(evidence)
        return try await write { db in
            // The reports may suspend the worker and so end the lease; the completion is stale
            // then.
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

    /// Adds the time before a lease's first test to its cell's counters.
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

    /// Requeues a lease's tests in `leftOver`, for which the worker had no time, and counts every
    /// other test without a report as lost.
    ///
    /// If the lease has no report at all, all its tests count as lost: a lying worker cannot keep a
    /// run open for ever.
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

    /// Returns whether a run has no live lease and no test case that will be leased.
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

    /// Returns whether a test case of an open run that is not stopped waits.
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
