import FarmCore
import FarmTesting
import Foundation
import GRDB
import LedgerConformance
import Testing

@testable import FarmLedger

@Suite("Ledgers of earlier programs")
struct MigrationTests {
    private static let tests = 6

    /// A ledger as the program of so many migrations left it: one test has passed, one runs under a
    /// lease whose worker will not come back, the others wait.
    private func write(_ path: String, migrations: Int) throws {
        let migrator = LedgerSchema.migrator
        let database = try DatabaseQueue(path: path)
        try migrator.migrate(database, upTo: migrator.migrations[migrations - 1])
        let plan = LedgerFarm.plan(tests: Self.tests)
        let pass = Attempt.Outcome.reported(
            TestReport(test: TestID("t0"), ending: .passed, seconds: 1.5, startedAt: 7)
        )
        try database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO run (id, key, plan_digest, plan, facts, state, started)
                    VALUES ('r', 'r', ?, ?, ?, 'running', 0)
                    """,
                arguments: [
                    plan.digest.description, try JSONEncoder().encode(plan),
                    try JSONEncoder().encode(RunFacts.plain("r")),
                ]
            )
            try db.execute(
                sql: """
                    INSERT INTO worker (id, seen) VALUES ('old', 1);
                    INSERT INTO lease (run, worker, request, job, cell, state, granted, deadline)
                    VALUES ('r', 'old', 'old-1', 0, 0, 'live', 0, 30000);
                    """
            )
            for number in 0..<Self.tests {
                try db.execute(
                    sql: """
                        INSERT INTO test_case (run, job, cell, test, state, epoch, attempts, verdict)
                        VALUES ('r', 0, 0, ?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        "t\(number)", [2, 1, 0][min(number, 2)], number == 1 ? 1 : nil,
                        number == 0 ? 1 : 0, number == 0 ? "passed" : nil,
                    ]
                )
            }
            try db.execute(
                sql: """
                    INSERT INTO attempt (test_case, epoch, worker, outcome, ended)
                    VALUES (1, 1, 'old', ?, 1)
                    """,
                arguments: [try JSONEncoder().encode(pass)]
            )
            if migrations >= 2 {
                try db.execute(
                    sql: """
                        INSERT INTO cell_progress (run, job, cell, planned, done, reports, seconds)
                        VALUES ('r', 0, 0, ?, 1, 1, 1.5);
                        UPDATE attempt SET seconds = 1.5, started = 7;
                        """,
                    arguments: [Self.tests]
                )
            }
            if migrations >= 4 { try db.execute(sql: "UPDATE cell_progress SET leased = 1") }
        }
        try database.close()
    }

    @Test("what ran alone on its host, or was to, is so after a column has another name")
    func isolated() throws {
        let folder = try TemporaryFolder("isolated")
        let path = folder.file("ledger.sqlite")
        try write(path, migrations: 14)
        let database = try DatabaseQueue(path: path)
        try database.write {
            try $0.execute(sql: "UPDATE lease SET quiet = 1; UPDATE worker SET quiet_at = 7")
        }
        try LedgerSchema.migrator.migrate(database)
        try database.read { db in
            let lease = try Int.fetchOne(db, sql: "SELECT isolated FROM lease")
            let worker = try Int.fetchOne(db, sql: "SELECT isolation_awaited FROM worker")
            #expect(lease == 1 && worker == 7)
        }
    }

    @Test(
        "a run that an earlier program began goes on and ends, and nothing of it is lost",
        arguments: 1...LedgerSchema.migrator.migrations.count
    )
    func goesOn(migrations: Int) async throws {
        let farm = try LedgerFarm("migration-\(migrations)") {
            try write($0, migrations: migrations)
        }
        let run = RunID("r")
        let broken = try await farm.ledger.audit().broken
        #expect(broken == [])
        #expect(try await farm.ledger.progress(run, now: 1).cells.map(\.done) == [1])
        try await farm.ledger.takeBack(.restart, now: 1)
        try await farm.work(
            [LedgerFarm.Worker("new", testsPerTick: 2) { _ in .passed }],
            until: run
        )
        let tests = try await farm.ledger.evidence(run).tests
        #expect(tests.map(\.verdict) == Array(repeating: .passed, count: Self.tests))
        #expect(tests.map(\.attempts.count) == Array(repeating: 1, count: Self.tests))
        #expect(tests.first?.attempts.first?.worker == WorkerID("old"))
        #expect(tests.first?.report?.seconds == 1.5)
        #expect(try await farm.ledger.audit().broken == [])
    }
}
