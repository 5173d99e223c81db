// The evidence by which a run is judged: its test cases with their attempts, and what its leases
// left.
import FarmCore
import Foundation
import GRDB

extension SQLiteLedger {
    /// The fewest rows of test cases for which a second connection saves time.
    private static let rowsPerPartMin = 1_500

    package func evidence(
        _ run: RunID
    ) async throws -> (tests: [TestEvidence], leases: [LeaseEvidence]) {
        let (plan, ids) = try await read { db in
            (try self.plan(run, db), try self.ids(of: run, db))
        }
        let tests = try await tests(run, plan, in: parts(of: ids))
        // Read after the tests, so that a lease whose reports were read has its evidence, too.
        let leases = try await read { db in
            try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT evidence, epoch, job, cell FROM lease
                        WHERE run = ? AND evidence IS NOT NULL
                        ORDER BY ended, epoch
                        """
                ),
                arguments: [run.text]
            ).map { row in
                var evidence = try Self.decode(LeaseEvidence.self, row[0])
                evidence.lease = row[1]
                // Job and cell become the path of a log: the lease's own values replace those that
                // were sent.
                let place = try Self.place(in: plan, job: row[2], cell: row[3])
                evidence.job = place.job.name
                evidence.cell = place.cell.id
                if let fault = evidence.fault { throw LedgerError.damaged("a lease: \(fault)") }
                return evidence
            }
        }
        return (tests, leases)
    }

    /// Returns the job and cell at positions in the plan.
    static func place(in plan: Plan, job: Int, cell: Int) throws -> (job: Job, cell: Cell) {
        guard plan.jobs.indices.contains(job),
            plan.jobs[job].job.cells.indices.contains(cell)
        else { throw LedgerError.damaged("a row of no cell of the plan") }
        return (plan.jobs[job].job, plan.jobs[job].job.cells[cell])
    }

    /// Returns a run's test cases with their attempts; reads the ranges of ids in `parts` side by
    /// side.
    ///
    /// The ledger has little else to do at the end of a run.
    private func tests(
        _ run: RunID,
        _ plan: Plan,
        in parts: [ClosedRange<Int64>]
    ) async throws -> [TestEvidence] {
        try await withThrowingTaskGroup(of: (Int, [TestEvidence]).self) { group in
            for (place, part) in parts.enumerated() {
                group.addTask {
                    (place, try await self.read { try self.tests(run, plan, part, $0) })
                }
            }
            var read = Array(repeating: [TestEvidence](), count: parts.count)
            for try await (place, tests) in group { read[place] = tests }
            return read.count == 1 ? read[0] : Array(read.joined())
        }
    }

    private func parts(of ids: ClosedRange<Int64>?) -> [ClosedRange<Int64>] {
        guard let ids else { return [] }
        let processors = ProcessInfo.processInfo.activeProcessorCount
        let count = min(ids.count / Self.rowsPerPartMin, processors, Self.readersMax)
        guard count > 1 else { return [ids] }
        let size = Int64((ids.count + count - 1) / count)
        return stride(from: ids.lowerBound, through: ids.upperBound, by: Int(size)).map {
            $0...min($0 + size - 1, ids.upperBound)
        }
    }

    /// Returns the ids of a run's test cases, or `nil` if the run has no test case.
    ///
    /// They are consecutive, in plan order.
    private func ids(of run: RunID, _ db: Database) throws -> ClosedRange<Int64>? {
        let select = try db.cachedStatement(
            sql: "SELECT min(id), max(id) FROM test_case WHERE run = ?"
        )
        guard let row = try Row.fetchOne(select, arguments: [run.text]),
            let first = row[0] as Int64?, let last = row[1] as Int64?
        else { return nil }
        return first...last
    }

    /// Returns all test cases of a run in plan order, each with its attempts.
    func tests(_ run: RunID, _ plan: Plan, _ db: Database) throws -> [TestEvidence] {
        guard let ids = try ids(of: run, db) else { return [] }
        return try tests(run, plan, ids, db)
    }

    /// Returns the test cases with `ids`, each with its attempts.
    ///
    /// The rows of test cases and attempts are stored in plan order, so the query neither sorts nor
    /// looks up single rows.
    private func tests(
        _ run: RunID,
        _ plan: Plan,
        _ ids: ClosedRange<Int64>,
        _ db: Database
    ) throws -> [TestEvidence] {
        var tests: [TestEvidence] = []
        tests.reserveCapacity(ids.count)
        var last: Int64?
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT t.id, t.job, t.cell, t.test, t.verdict, t.note,
                      a.worker, a.epoch, \(AttemptColumns.names)
                    FROM test_case t NOT INDEXED LEFT JOIN attempt a ON a.test_case = t.id
                    WHERE t.run = ? AND t.id BETWEEN ? AND ? ORDER BY t.id, a.epoch
                    """
            ),
            arguments: [run.text, ids.lowerBound, ids.upperBound]
        )
        while let row = try rows.next() {
            let test = TestID(row[3] as String)
            if last != row[0] as Int64 {
                last = row[0]
                let place = try Self.place(in: plan, job: row[1], cell: row[2])
                tests.append(
                    TestEvidence(
                        key: TestKey(job: place.job.name, cell: place.cell.id, test: test),
                        verdict: (row[4] as String?).flatMap { Verdict(rawValue: $0) },
                        note: row[5],
                        attempts: []
                    )
                )
            }
            guard let worker = row[6] as String? else { continue }
            let outcome = try AttemptColumns.outcome(of: test, row, 8)
            tests[tests.count - 1].attempts.append(
                Attempt(worker: WorkerID(worker), outcome: outcome, lease: row[7])
            )
            tests[tests.count - 1].lease = row[7]
        }
        return tests
    }
}
