// Tests of coordinators that share a ledger in a real PostgreSQL: the choice of the leader, the
// copies of followers, and changes without an answer.
import FarmCore
import FarmTesting
import Foundation
import GRDB
import Synchronization
import Testing

@testable import FarmLedger

@Suite("A pool in PostgreSQL", .enabled(if: TestPostgres.isInstalled))
struct PoolOnPostgresTests {
    private let postgres: TestPostgres
    private let url: String
    private let folder: TemporaryFolder

    init() throws {
        postgres = try TestPostgres.shared()
        url = try postgres.database()
        folder = try TemporaryFolder("pool")
    }

    /// One coordinator's member of the pool, without its HTTP server.
    private final class Seat: Sendable {
        let ledger: SQLiteLedger
        let member: PoolMember
        let told: Told

        init(_ name: String, _ url: String, _ folder: TemporaryFolder) throws {
            var limits = PoolLimits()
            // No test waits for the deadline: tests expire it themselves.
            limits.deadlineMilliseconds = 600_000
            limits.heartbeatSeconds = 0
            limits.restSeconds = 0
            let me = PoolMemberID(holder: name, url: "http://\(name)")
            let address = try PostgresAddress(url: url, pool: "test")
            let (reader, writer) = (
                PostgresStore(address, me: me, limits: limits),
                PostgresStore(address, me: me, limits: limits)
            )
            try reader.makeTables()
            let journal = LedgerJournal(
                writer,
                randomTx: { Data((0..<16).map { _ in UInt8.random(in: .min ... .max) }) },
                pause: { usleep(20_000) }
            )
            ledger = try SQLiteLedger(path: folder.file("\(name).sqlite"), journal: journal)
            let told = Told(ledger)
            self.told = told
            member = PoolMember(
                ledger,
                journal: journal,
                me: me,
                reader: reader,
                writer: writer,
                limits: limits,
                scratch: folder.file("\(name)-scratch"),
                say: { told.add($0) }
            )
            try member.join(randomTx: Data(repeating: 7, count: 16))
        }

        /// Looks until the member leads, as a coordinator's loop does.
        func takeOver() throws {
            for _ in 0..<400 where !member.leads {
                // The connection of a look may be cut.
                _ = try? member.look()
                usleep(5_000)
            }
            try #require(member.leads)
        }

        /// Looks until the copy has caught up with the journal.
        func follow() throws {
            // The connection of the first look may be cut.
            _ = try? member.look()
            _ = try member.look()
        }

        func hello(_ name: String) async throws {
            try await ledger.hello(WorkerID(name), now: 1)
        }

        func workers() throws -> [String] { try ledger.workers() }
    }

    private func seat(_ name: String) throws -> Seat { try Seat(name, url, folder) }

    @Test("a change of the leader is in the copy of who follows, and only the leader makes changes")
    func follows() async throws {
        let (a, b) = (try seat("a"), try seat("b"))
        try a.takeOver()
        try await a.hello("one")
        try b.follow()
        #expect(try b.workers() == ["one"])
        #expect(b.member.otherLeader == "http://a")
        await #expect(throws: LedgerError.self) { try await b.hello("two") }
        #expect(try b.workers() == ["one"])
        #expect(try a.ledger.position() == b.ledger.position())
    }

    @Test("keeps the newest two snapshots, and the changes since the older one")
    func pruned() async throws {
        let a = try seat("a")
        try a.takeOver()
        let store = PostgresStore(
            try PostgresAddress(url: url, pool: "test"),
            me: PoolMemberID(holder: "", url: "")
        )
        let file = try folder.write("snapshot", "bytes")
        var kept: [Int64] = []
        for name in ["one", "two", "three"] {
            try await a.hello(name)
            kept.append(try a.ledger.position().seq)
            try store.keepSnapshot(file, seq: kept[kept.count - 1])
            try store.prune()
        }
        #expect(try store.snapshots() == [kept[2], kept[1]])
        let first = try postgres.query("SELECT min(seq) FROM farm.journal", database: url)
        #expect(first == "\(kept[1])")
    }

    @Test("is refused to who names a database that is not there, and says that")
    func denied() throws {
        let address = try PostgresAddress(url: postgres.url(database: "none"), pool: "test")
        let store = PostgresStore(address, me: PoolMemberID(holder: "", url: ""))
        let error = #expect(throws: JournalStoreError.self) { try store.pool() }
        #expect(error?.code == "ledger-denied" && error?.exit == .configuration)
        #expect(error?.message.contains("\"none\" does not exist") == true)
    }

    @Test("a leader that was away past its deadline changes nothing, and follows its successor")
    func fenced() async throws {
        let (a, b) = (try seat("a"), try seat("b"))
        try a.takeOver()
        try await a.hello("one")
        try expire()
        try b.takeOver()
        // The journal's numbers are unchanged: only the term shows the new leader.
        await #expect(throws: LedgerError.self) { try await a.hello("three") }
        try await b.hello("two")
        _ = try a.member.look()  // It steps down,
        try a.follow()  // and follows.
        #expect(try a.workers() == ["one", "two"])
        #expect(try a.ledger.position() == b.ledger.position())
    }

    @Test("of changes whose connection is cut, those that were acknowledged are there, once")
    func cut() async throws {
        let (a, b) = (try seat("a"), try seat("b"))
        try a.takeOver()
        let cutter = Task { [postgres, url] in
            while !Task.isCancelled { _ = try? postgres.terminateBackends(of: url) }
        }
        var kept: [String] = []
        for number in 0..<100 {
            let name = "worker-\(1000 + number)"
            do {
                try await a.hello(name)
                kept.append(name)
            } catch { try a.takeOver() }
        }
        cutter.cancel()
        _ = await cutter.value
        try b.follow()
        #expect(try a.workers() == b.workers())
        #expect(Set(kept).isSubset(of: Set(try b.workers())))
        #expect(kept.count > 0)
        #expect(try a.ledger.position() == b.ledger.position())
    }

    @Test("a copy with changes that the journal lost says so, and becomes what the journal is")
    func wentBack() async throws {
        let (a, b) = (try seat("a"), try seat("b"))
        try a.takeOver()
        try await a.hello("one")
        try b.follow()
        try await a.hello("lost")
        try loseLast()
        try expire()
        try b.takeOver()
        try await b.hello("two")
        try await b.hello("three")
        _ = try a.member.look()
        try a.follow()
        #expect(try a.workers() == ["one", "three", "two"])
        // The restore is reported after the copy is complete, so that no reader sees an old state.
        #expect(a.told.restoredWith == [["one", "three", "two"]])
    }

    @Test(
        "a copy that stands where the journal does, but with another change, never leads as it is"
    )
    func sameNumber() async throws {
        let (a, b) = (try seat("a"), try seat("b"))
        try a.takeOver()
        try await a.hello("one")
        try b.follow()
        try await a.hello("lost")
        let c = try seat("c")
        try c.follow()
        try loseLast()
        try expire()
        try b.takeOver()
        try await b.hello("two")
        // Both have the same number of changes, so their numbers do not show the difference.
        #expect(try b.ledger.position().seq == c.ledger.position().seq)
        try expire()
        try c.takeOver()
        #expect(try c.workers() == ["one", "two"])
    }

    /// Makes the leader's deadline pass.
    private func expire() throws {
        try postgres.query(
            "UPDATE farm.pool SET deadline = clock_timestamp() - interval '1 s'",
            database: url
        )
    }

    /// Loses the last change, like the promotion of a standby that lacked it.
    private func loseLast() throws {
        try postgres.query(
            """
            DELETE FROM farm.journal WHERE seq = (SELECT seq FROM farm.pool);
            UPDATE farm.pool SET seq = seq - 1
            """,
            database: url
        )
    }

    private final class Told: Sendable {
        private let workers = Mutex<[[String]]>([])
        let ledger: SQLiteLedger

        init(_ ledger: SQLiteLedger) { self.ledger = ledger }

        func add(_ event: LeadershipEvent) {
            guard case .restored = event else { return }
            let names = (try? ledger.workers()) ?? []
            workers.withLock { $0.append(names) }
        }

        /// The workers in the copy at each report of a restore.
        var restoredWith: [[String]] { workers.withLock { $0 } }
    }
}

extension SQLiteLedger {
    fileprivate func workers() throws -> [String] {
        try database.read { try String.fetchAll($0, sql: "SELECT id FROM worker ORDER BY id") }
    }
}
