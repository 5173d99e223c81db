// Tests that every kind of damage to a ledger has its own code, and that a normally used ledger is
// sound. The damage is done with SQL, behind the ledger's back.
import FarmCore
import FarmLedger
import FarmTesting
import Foundation
import GRDB
import LedgerConformance
import Testing

/// A way of damaging a ledger.
struct Damage: CustomTestStringConvertible, Sendable {
    let code: String
    let sql: String

    init(_ code: String, _ sql: String) {
        self.code = code
        self.sql = sql
    }

    var testDescription: String { code + ": " + sql }

    static let all = [
        Damage(
            "run-key",
            """
            PRAGMA legacy_alter_table = ON; ALTER TABLE run RENAME TO old;
            CREATE TABLE run AS SELECT * FROM old; DROP TABLE old;
            CREATE UNIQUE INDEX run_id ON run (id); UPDATE run SET key = 'open'
            """
        ),
        Damage("plan-cases", "DELETE FROM test_case WHERE run = 'open' AND test = 't3'"),
        Damage("plan-cases", "UPDATE test_case SET test = 'other' WHERE run = 'open' AND id = 8"),
        Damage("case-state", "UPDATE test_case SET state = 2 WHERE run = 'open' AND test = 't5'"),
        Damage("case-lease", "UPDATE lease SET state = 'expired', ended = 9 WHERE state = 'live'"),
        Damage("case-lease", "UPDATE lease SET cell = 1 - cell WHERE state = 'live'"),
        Damage("lease-state", "UPDATE lease SET ended = 9 WHERE state = 'live'"),
        Damage(
            "lease-after-run",
            """
            UPDATE lease SET state = 'live' WHERE epoch = (
              SELECT min(epoch) FROM lease WHERE run = 'done'
              AND worker NOT IN (SELECT worker FROM lease WHERE state = 'live'))
            """
        ),
        Damage(
            "lease-isolated",
            """
            UPDATE worker SET host = 'h';
            UPDATE lease SET state = 'live', ended = NULL, isolated = 1 WHERE run = 'open'
            """
        ),
        Damage("epoch-reset", "UPDATE sqlite_sequence SET seq = 1 WHERE name = 'lease'"),
        Damage("attempt-lease", "UPDATE attempt SET worker = 'nobody' WHERE rowid_of = 1"),
        Damage("attempt-lease", "DELETE FROM lease WHERE run = 'done'"),
        Damage("late-attempt", "UPDATE attempt SET ended = ended + 99 WHERE rowid_of = 1"),
        Damage("attempt-count", "UPDATE test_case SET attempts = 2 WHERE verdict = 'passed'"),
        Damage("attempt-count", "DELETE FROM attempt WHERE rowid_of = 1"),
        Damage("verdict-unfounded", "DELETE FROM attempt WHERE rowid_of = 1"),
        Damage(
            "verdict-derived",
            "UPDATE test_case SET verdict = 'passed' WHERE verdict = 'failed'"
        ),
        Damage("verdict-derived", "UPDATE test_case SET note = 'so' WHERE verdict = 'passed'"),
        Damage(
            "verdict-derived",
            "UPDATE test_case SET verdict = NULL, state = 0 WHERE verdict = 'failed'"
        ),
        Damage("change-derived", "UPDATE test_case SET change = 'c' WHERE verdict = 'failed'"),
        Damage("counters", "UPDATE cell_progress SET done = done - 1 WHERE done > 0"),
        Damage("counters", "UPDATE cell_progress SET seconds = seconds + 1"),
        Damage("counters", "UPDATE cell_progress SET leased = leased + 1 WHERE run = 'open'"),
        Damage("counters", "DELETE FROM cell_progress WHERE run = 'open'"),
        Damage("run-state", "UPDATE run SET state = 'running' WHERE id = 'done'"),
        Damage("run-state", "UPDATE run SET state = 'fine' WHERE id = 'done'"),
        Damage("result-state", "UPDATE run SET state = 'passed' WHERE id = 'done'"),
        Damage("result-green", "UPDATE run SET state = 'passed' WHERE id = 'done'"),
        Damage("result-counts", "UPDATE test_case SET verdict = 'new' WHERE verdict = 'failed'"),
        Damage(
            "result-incomplete",
            "UPDATE test_case SET verdict = NULL, state = 0 WHERE verdict = 'failed'"
        ),
        Damage("unreadable-record", "UPDATE run SET plan = x'7b' WHERE id = 'done'"),
        Damage("unreadable-record", "UPDATE attempt SET outcome = x'7b' WHERE rowid_of = 1"),
        Damage("decision-unreadable", "UPDATE decision SET kind = 'liked'"),
        Damage("decision-unreadable", "UPDATE decision SET capture = 'sha256:0'"),
        Damage("decision-unreadable", "UPDATE decision SET snapshot = '../S/a'"),
        Damage("dangling-row", "DELETE FROM run WHERE id = 'done'"),
        Damage("ledger-file", "DROP_INDEX_ENTRY"),
    ]
}

@Suite("The audit of a ledger")
struct LedgerAuditTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("audit") }

    private var path: String { folder.file("ledger.sqlite") }

    /// Makes a failed run that is closed, and a run in the middle with a live lease.
    private func used() async throws {
        let ledger = try SQLiteLedger(path: path)
        let bench = LedgerBench { ledger }
        let done = try await bench.open(LedgerBench.plan(tests: 3, cells: 2), key: "done")
        for number in 1... {
            guard let lease = try await bench.claim("a", "\(number)") else { break }
            for test in lease.shard.tests where test != TestID("t1") {
                _ = try await bench.pass(lease, test, now: 1)
            }
            let bad = lease.shard.tests.filter { $0 == TestID("t1") }
            _ = try await bench.report(
                lease,
                bad.map { TestReport(test: $0, ending: .failed("no"), seconds: 1) },
                now: 1
            )
            _ = try await bench.complete(lease, now: 2)
        }
        try await ledger.close(done, judged: bench.judgement(done, .failed), now: 3)
        _ = try await bench.open(LedgerBench.plan(tests: 6, cells: 2), key: "open", now: 4)
        let lost = try await bench.lease("a", "lost", now: 5)
        _ = try await bench.pass(lost, TestID("t0"), now: 6)
        try await ledger.takeBack(.lost(WorkerID("a")), now: 7)
        let released = try await bench.lease("b", "released", now: 8)
        _ = try await ledger.release(released.token, now: 8)
        _ = try await bench.lease("c", "live", now: 8)
        try await ledger.add([try LedgerBench.decision(.rejected, "a")])
        try ledger.close()
    }

    private func change(_ sql: String) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
            if sql == "DROP_INDEX_ENTRY" {
                try db.execute(sql: "PRAGMA writable_schema = ON")
                try db.execute(
                    sql: """
                        UPDATE sqlite_master SET sql = replace(sql, 'WHERE state = 0', '')
                        WHERE name = 'test_case_waiting'
                        """
                )
            } else {
                let first = "(SELECT test_case FROM attempt ORDER BY test_case LIMIT 1)"
                try db.execute(sql: sql.replacing("rowid_of = 1", with: "test_case = \(first)"))
            }
        }
        try queue.close()
    }

    @Test("a ledger in the middle of its work is sound, and counted")
    func sound() async throws {
        try await used()
        let audit = try LedgerAudit.ofFile(at: path)
        #expect(audit.broken.map(\.description) == [])
        #expect(audit.runs == 2)
        #expect(audit.testCases == 18)
        #expect(audit.attempts == 8)
        #expect(audit.decisions == 1)
    }

    @Test("damage is named", arguments: Damage.all)
    func damaged(_ damage: Damage) async throws {
        try await used()
        try change(damage.sql)
        let audit = try LedgerAudit.ofFile(at: path)
        let codes = Set(audit.broken.map(\.code))
        #expect(codes.contains(damage.code), "\(audit.broken)")
        #expect(audit.brokenCount >= audit.broken.count)
        #expect(audit.broken.allSatisfy { !$0.remedy.isEmpty && !$0.message.contains("\n") })
        guard damage.code != "ledger-file" else { return }
        try await expectUpkeep(around: audit, damage)
    }

    /// Checks that retention continues despite damaged runs, and keeps the blobs that these may
    /// name.
    private func expectUpkeep(around audit: LedgerAudit, _ damage: Damage) async throws {
        let ledger = try SQLiteLedger(path: path)
        defer { try? ledger.close() }
        guard damage.code != "dangling-row" else {
            await #expect(throws: RetentionError.self) { try await ledger.remains() }
            return
        }
        let remains = try await ledger.remains()
        #expect(remains.brokenCount == audit.brokenCount)
        let isOfRun = audit.broken.contains { !$0.run.isEmpty }
        let blob = Digest(of: Data("a blob".utf8))
        #expect(remains.mayName(blob, modified: 5) == isOfRun)
        #expect(!remains.mayName(blob, modified: -1_000_000_000))
    }

    @Test("a file that is overwritten, none at all and another version's are told apart")
    func files() async throws {
        #expect(throws: LedgerAuditError.self) { try LedgerAudit.ofFile(at: path) }
        try await used()
        try change("INSERT INTO grdb_migrations (identifier) VALUES ('999 later')")
        #expect(throws: LedgerError.self) { try LedgerAudit.ofFile(at: path) }
        try change("DELETE FROM grdb_migrations")
        #expect(throws: LedgerAuditError.self) { try LedgerAudit.ofFile(at: path) }
        try folder.write("ledger.sqlite", String(repeating: "no database ", count: 1_000))
        for suffix in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
        #expect(try LedgerAudit.ofFile(at: path).broken.map(\.code) == ["ledger-unreadable"])
    }

    @Test("the ledger is not changed, nor kept from its coordinator")
    func readsOnly() async throws {
        try await used()
        let ledger = try SQLiteLedger(path: path)
        let before = try await LedgerBench { ledger }.attempts(RunID("open"))
        #expect(try LedgerAudit.ofFile(at: path).isClean)
        #expect(try await ledger.audit().isClean)
        let lease = try #require(
            try await ledger.claim(worker: WorkerID("d"), request: "1", warm: nil, now: 9)
        )
        #expect(!lease.shard.tests.isEmpty)
        #expect(try LedgerAudit.ofFile(at: path).isClean)
        #expect(try await LedgerBench { ledger }.attempts(RunID("open")) == before)
    }

    @Test("a clock that was set back between two coordinators breaks nothing")
    func clock() async throws {
        for wasLocal in [true, false] {
            let ledger = try SQLiteLedger(path: folder.file("clock-\(wasLocal).sqlite"))
            let bench = LedgerBench { ledger }
            let run = try await bench.open(LedgerBench.plan(tests: 20), now: 9_000_000)
            let lease = try await bench.lease("a", "1", now: 9_000_000)
            let tests = lease.shard.tests
            #expect(try await bench.pass(lease, tests[0], now: 9_000_100) == .accepted)
            if wasLocal {
                try await ledger.takeBack(.restart, now: 1_000)
            } else {
                try await ledger.extendLeases(seconds: FarmLimits.leaseSeconds, now: 1_000)
                #expect(try await bench.pass(lease, tests[1], now: 1_500) == .accepted)
                #expect(try await ledger.takeBack(.expired, now: 60_000) == 1)
            }
            _ = try await bench.lease("b", "1", now: 61_000)
            try await ledger.close(run, judged: bench.judgement(run, .cancelled), now: 62_000)
            #expect(try await ledger.audit().broken == [])
            try ledger.close()
        }
    }
}
