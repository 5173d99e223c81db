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
        // The one writer has other things to do.
        let evidence = try Self.encode(evidence)
        return try await write { db in
            // What they say of their worker may end the lease; its completion is stale then.
            let kept =
                reports.isEmpty
                ? ReportReceipt(answers: [], requeued: false)
                : try self.keep(reports, under: token, now: now, db)
            let granted = self.boards.leases[token.epoch]?.testCases?.count
            let ended = try self.end(token.epoch, as: "done", evidence: evidence, now: now, db)
            guard let run = ended else {
                let state = try self.state(of: token.epoch, db)
                return CompletionReceipt(
                    answer: state == "done" ? .duplicate : .stale,
                    answers: kept.answers
                )
            }
            // Each accepted report is the only one of a test case of this lease.
            if granted != kept.answers.count || kept.answers.contains(where: { $0 != .accepted }) {
                try self.countUnreported(token.epoch, now: now, db)
            }
            return CompletionReceipt(
                answer: .accepted,
                answers: kept.answers,
                mayEndRun: try self.mayEnd(run, db),
                leavesWork: try kept.requeued || self.somethingWaits(db)
            )
        }
    }

    /// A worker reports every test of its lease; one it left out counts as lost, so that a lying
    /// worker cannot keep a run open for ever.
    private func countUnreported(_ epoch: Int64, now: Milliseconds, _ db: Database) throws {
        let left = try Int64.fetchAll(
            db.cachedStatement(sql: "SELECT id FROM test_case WHERE epoch = ? AND state = 1"),
            arguments: [epoch]
        )
        for testCase in left { try countLost(testCase, epoch: epoch, now: now, db) }
    }

    /// Whether a run has no live lease, and no cell that is known to be open.
    ///
    /// Of a run that was stopped there is no board: what waits in it is never leased.
    private func mayEnd(_ run: RunID, _ db: Database) throws -> Bool {
        if let board = boards.known(run) { return board.leasesOfJob.isEmpty && !board.isOpen }
        let live = try db.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM lease WHERE state = 'live' AND run = ?)"
        )
        return try Bool.fetchOne(live, arguments: [run.text]) != true
    }

    /// Whether a test case of any run that is worked for waits.
    private func somethingWaits(_ db: Database) throws -> Bool {
        if boards.someWaits { return true }
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
