import FarmCore
import FarmTesting
import Foundation
import GRDB
import LedgerConformance
import Testing

@testable import FarmLedger

@Suite("Ledgers of other programs")
struct MigrationTests {
    private let folder: TemporaryFolder
    private let path: String
    /// The schema of a later program, with one more column.
    private let later = LedgerSchema.current.adding(
        LedgerSchema.Migration(
            "later",
            sql: "ALTER TABLE run ADD COLUMN made_up INTEGER NOT NULL DEFAULT 7"
        )
    )

    init() throws {
        folder = try TemporaryFolder("migration")
        path = folder.file("ledger.sqlite")
    }

    @Test("a later program goes on with a run and loses nothing; the earlier one refuses it then")
    func goesOn() async throws {
        let run = RunID("r")
        let earlier = try SQLiteLedger(path: path)
        let facts = RunFacts.plain("r")
        _ = try await earlier.openRun(
            NewRun(key: "r", facts: facts, plan: LedgerFarm.plan(tests: 6)),
            now: 0
        )
        let worker = WorkerID("w")
        try await earlier.registerWorker(worker, unfit: nil, beginsAnew: true, now: 1)
        let lease = try #require(
            try await earlier.claim(worker: worker, request: "1", warm: nil, now: 1)
        )
        let first = try #require(lease.shard.tests.first)
        let report = TestReport(test: first, ending: .passed, seconds: 1.5)
        _ = try await earlier.report(lease.token, [report], now: 2)
        let before = try await earlier.evidence(run).tests
        try earlier.close()

        let ledger = try SQLiteLedger(path: path, schema: later)
        #expect(try await ledger.audit().broken == [])
        #expect(try await ledger.evidence(run).tests == before)
        let added = try await ledger.database.read {
            try Int.fetchAll($0, sql: "SELECT made_up FROM run")
        }
        #expect(added == [7])
        try await ledger.takeBack(.restart, now: 3)
        let next = try await ledger.claim(worker: worker, request: "2", warm: nil, now: 4)
        #expect(next?.shard.tests.contains(first) == false)
        try ledger.close()

        #expect(throws: LedgerError.self) { try SQLiteLedger(path: path) }
        #expect(throws: LedgerError.self) { try LedgerAudit.ofFile(at: path) }
    }

    @Test(
        "the ledger of a build before the first release is refused and left alone, with a way out"
    )
    func unreleased() throws {
        let database = try DatabaseQueue(path: path)
        try database.write {
            try $0.execute(
                sql: """
                    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                    INSERT INTO grdb_migrations VALUES ('1 runs, test cases, leases, attempts');
                    """
            )
        }
        try database.close()
        let openings: [() throws -> Void] = [
            { _ = try SQLiteLedger(path: path) }, { _ = try LedgerAudit.ofFile(at: path) },
        ]
        for open in openings {
            let error = #expect(throws: LedgerError.self) { try open() }
            #expect(error?.code == "ledger-unreleased")
            #expect(error?.remedy.contains("begins a new one") == true)
        }
        let tables = try DatabaseQueue(path: path).read {
            try String.fetchAll($0, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
        }
        #expect(tables == ["grdb_migrations"])
    }
}
