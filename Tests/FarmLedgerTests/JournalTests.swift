// Tests of a ledger whose commits go to a journal first: changes that the journal refuses, loses or
// leaves unanswered, and copies that differ from it.
import FarmCore
import FarmLedger
import FarmSimulator
import FarmTesting
import Foundation
import GRDB
import LedgerConformance
import Synchronization
import Testing

@testable import FarmLedger

@Suite("A journaled ledger")
struct JournalTests {
    private static func fill(_ ledger: any Ledger, _ run: String = "r") async throws {
        let bench = LedgerBench { ledger }
        _ = try await bench.open(LedgerBench.plan(tests: 6), key: run)
        let lease = try await bench.lease("worker of \(run)", run)
        for test in lease.shard.tests { _ = try await bench.pass(lease, test, now: 1) }
    }

    private static func compare(_ one: JournalPool.Node, _ other: JournalPool.Node) throws {
        let comparison = try LedgerComparison(one.ledger.path, other.ledger.path)
        #expect(comparison.areEqual, "\(comparison.differences)")
        #expect(comparison.rows > 0)
    }

    @Test(
        "keeps the promises of a ledger where another coordinator takes over before every call",
        arguments: LedgerPromise.all
    )
    func conformance(_ promise: LedgerPromise) async throws {
        let pool = try JournalPool("journaled")
        let nodes = [try pool.node("a"), try pool.node("b")]
        let turn = Mutex(0)
        try await promise.check(
            on: LedgerBench {
                let node = turn.withLock { turn in
                    turn += 1
                    return nodes[turn % 2]
                }
                try pool.lead(node)
                return node.ledger
            }
        )
        for node in nodes { for _ in 0..<3 { _ = try node.member.look() } }
        try Self.compare(nodes[0], nodes[1])
    }

    @Test("has in every copy what its leader answered")
    func followed() async throws {
        let pool = try JournalPool("followed")
        let (a, b) = (try pool.node("a"), try pool.node("b"))
        try pool.lead(a)
        try await Self.fill(a.ledger)
        _ = try b.member.look()
        try Self.compare(a, b)
        // Deletions by cascade are copied as the rows they removed.
        try await a.ledger.remove(RunID("r"))
        try await a.ledger.add([try LedgerBench.decision(.accepted, "s")])
        _ = try b.member.look()
        try Self.compare(a, b)
        #expect(b.said.all.contains(.follows(url: "http://a:1")))
    }

    @Test("changes nothing where another coordinator leads, and follows it")
    func fenced() async throws {
        let pool = try JournalPool("fenced")
        let (a, b) = (try pool.node("a"), try pool.node("b"))
        try pool.lead(a)
        try await Self.fill(a.ledger)
        try pool.lead(b)
        // The former leader was paused and does not know of the new one.
        #expect(a.member.leads)
        await #expect(throws: LedgerError.self) { try await Self.fill(a.ledger, "zombie") }
        #expect(!a.member.leads)
        #expect(pool.journal.fenced == 1)
        try await Self.fill(b.ledger, "second")
        for _ in 0..<3 { _ = try a.member.look() }
        try Self.compare(a, b)
    }

    @Test("promises nothing from what it reads where another coordinator leads")
    func promises() async throws {
        let pool = try JournalPool("promises")
        let (a, b) = (try pool.node("a"), try pool.node("b"))
        try pool.lead(a)
        let bench = LedgerBench { a.ledger }
        _ = try await bench.open(LedgerBench.plan(tests: 2))
        let lease = try await bench.lease("w", "1")
        _ = try await a.ledger.release(lease.token, now: 1)
        let appends = pool.journal.appends
        // The repeated release changes nothing, but its answer must still come from the leader.
        #expect(try await a.ledger.release(lease.token, now: 1) == .duplicate)
        #expect(pool.journal.appends == appends)
        try pool.lead(b)
        await #expect(throws: LedgerError.self) {
            _ = try await a.ledger.release(lease.token, now: 1)
        }
    }

    @Test(
        "asks what became of a change that has no answer",
        arguments: [
            [JournalFault.lost], [.unanswered], [.lost, .lost], [.unanswered, .lost],
            [.lost, .unanswered], [.unanswered, .unanswered], [.lost, .none, .unanswered],
            [.lost, .none, .lost, .none, .unanswered],
        ]
    )
    func unknown(_ faults: [JournalFault]) async throws {
        let pool = try JournalPool("unknown")
        let (a, b) = (try pool.node("a"), try pool.node("b"))
        try pool.lead(a)
        try await Self.fill(a.ledger)
        let before = try a.ledger.position().seq
        a.nextFault.set(faults)
        try await a.ledger.add([try LedgerBench.decision(.accepted, "s")])
        #expect(try a.ledger.position().seq == before + 1)
        #expect(pool.journal.row?.seq == before + 1)
        #expect(a.member.leads)
        try await Self.fill(a.ledger, "after")
        _ = try b.member.look()
        try Self.compare(a, b)
    }

    @Test("takes a change back that the database refuses, and steps down")
    func refused() async throws {
        let pool = try JournalPool("refused")
        let a = try pool.node("a")
        try pool.lead(a)
        try await Self.fill(a.ledger)
        let before = try a.ledger.position()
        a.nextFault.set([.refused])
        await #expect(throws: LedgerError.self) { try await Self.fill(a.ledger, "second") }
        #expect(try a.ledger.position() == before)
        #expect(!a.member.leads)
        try pool.lead(a)
        try await Self.fill(a.ledger, "second")
    }

    @Test("steps down where nobody says what became of a change")
    func silent() async throws {
        let pool = try JournalPool("silent")
        let (a, b) = (try pool.node("a"), try pool.node("b"))
        try pool.lead(a)
        try await Self.fill(a.ledger)
        a.nextFault.set(
            [.unanswered] + Array(repeating: .lost, count: LedgerJournal.settlesMax)
        )
        await #expect(throws: LedgerError.self) {
            try await a.ledger.add([try LedgerBench.decision(.accepted, "s")])
        }
        #expect(!a.member.leads)
        // The change was made; both copies get it from the journal.
        try pool.lead(b)
        #expect(try await b.ledger.decisions(of: "p").count == 1)
        for _ in 0..<3 { _ = try a.member.look() }
        try Self.compare(a, b)
    }

    @Test("follows the journal where its own file could not be written")
    func failedCommit() async throws {
        let pool = try JournalPool("failed-commit")
        let (a, b) = (try pool.node("a"), try pool.node("b"))
        try pool.lead(a)
        try await Self.fill(a.ledger)
        let full = FullDisk()
        try await a.ledger.database.write {
            $0.add(transactionObserver: full, extent: .databaseLifetime)
        }
        full.isFull = true
        await #expect(throws: (any Error).self) {
            try await a.ledger.add([try LedgerBench.decision(.accepted, "s")])
        }
        full.isFull = false
        #expect(!a.member.leads)
        try pool.lead(b)
        #expect(try await b.ledger.decisions(of: "p").count == 1)
        for _ in 0..<3 { _ = try a.member.look() }
        try Self.compare(a, b)
    }

    @Test("never gives a lease a number that the leader before gave")
    func numbers() async throws {
        let pool = try JournalPool("numbers")
        let (a, b) = (try pool.node("a"), try pool.node("b"))
        try pool.lead(a)
        let run = try await LedgerBench { a.ledger }.open(LedgerBench.plan(tests: 4))
        // A lease that comes and goes in one transaction leaves no row to copy.
        let given = try await a.ledger.write { db -> Int64 in
            try db.execute(
                sql: """
                    INSERT INTO lease (run, worker, request, job, cell, state, granted, deadline)
                    VALUES (?, 'w', 'x', 0, 0, 'live', 0, 0)
                    """,
                arguments: [run.text]
            )
            let epoch = db.lastInsertedRowID
            try db.execute(sql: "DELETE FROM lease WHERE epoch = ?", arguments: [epoch])
            try db.execute(
                sql: "UPDATE run SET retried = retried + 1 WHERE id = ?",
                arguments: [run.text]
            )
            return epoch
        }
        try pool.lead(b)
        let lease = try await LedgerBench { b.ledger }.lease("w", "1")
        #expect(lease.token.epoch > given)
    }

    enum Damage: CaseIterable { case gap, otherChange, wentBack, ownChange, unknownTable }

    @Test(
        "starts again from a snapshot where it differs from the journal",
        arguments: Damage.allCases
    )
    func different(_ damage: Damage) async throws {
        let pool = try JournalPool("different")
        let (a, b) = (try pool.node("a"), try pool.node("b"))
        try pool.lead(a)
        try await Self.fill(a.ledger)
        _ = try b.member.look()
        switch damage {
        case .gap:
            try await Self.fill(a.ledger, "more")
            #expect(try a.member.keepSnapshot(pool.journal.store(a.member.me)))
            pool.journal.remove(try b.ledger.position().seq + 1)
        case .otherChange:
            var entry = try #require(pool.journal.entries.last)
            try await Self.fill(a.ledger, "more")
            #expect(try a.member.keepSnapshot(pool.journal.store(a.member.me)))
            entry.seq += 1
            pool.journal.replace(entry)
        case .wentBack:
            // After the promotion of an asynchronous standby, acknowledged changes are gone, and
            // every copy must notice.
            pool.journal.forget(after: 2)
        case .ownChange:
            try await b.ledger.database.write { try $0.execute(sql: "DELETE FROM worker") }
            try await Self.fill(a.ledger, "more")
            try await a.ledger.hello(WorkerID("worker of r"), now: 9)
            #expect(try a.member.keepSnapshot(pool.journal.store(a.member.me)))
        case .unknownTable:
            try await a.ledger.database.write {
                try $0.execute(sql: "CREATE TABLE later (id INTEGER PRIMARY KEY)")
            }
            try await a.ledger.write { try $0.execute(sql: "INSERT INTO later VALUES (1)") }
        }
        if damage == .unknownTable {
            // No snapshot has the table either, so the copy must not skip the change.
            #expect(throws: DifferentCopy.self) { _ = try b.member.look() }
            return
        }
        _ = try b.member.look()
        let restored = b.said.all.contains { if case .restored = $0 { true } else { false } }
        #expect(restored, "\(b.said.all)")
        if damage != .wentBack { try Self.compare(a, b) }
    }

    @Test("says once what keeps it from following, however often it looks")
    func troubled() async throws {
        let pool = try JournalPool("troubled")
        let (a, b) = (try pool.node("a"), try pool.node("b"))
        try pool.lead(a)
        try await a.ledger.database.write {
            try $0.execute(sql: "CREATE TABLE later (id INTEGER PRIMARY KEY)")
        }
        try await a.ledger.write { try $0.execute(sql: "INSERT INTO later VALUES (1)") }
        let looking = Task { try await b.member.run(onLeading: {}, onStepDown: {}) }
        while b.member.looks < 5 { try await Task.sleep(for: .milliseconds(10)) }
        looking.cancel()
        _ = await looking.result
        let troubles = b.said.all.filter { event in
            switch event {
            case .unreachable, .reachable: true
            default: false
            }
        }
        #expect(troubles.count == 1, "\(troubles)")
        #expect("\(troubles)".contains("later"), "\(troubles)")
    }

    @Test(
        "is followed in its format by a newer program, which raises it at its lead; older ones wait"
    )
    func newer() async throws {
        let pool = try JournalPool("newer")
        let (a, old) = (try pool.node("a"), try pool.node("old"))
        try pool.lead(a)
        try await Self.fill(a.ledger)
        let next = LedgerSchema.current.adding(
            .init("next", sql: "ALTER TABLE run ADD COLUMN made_up INTEGER NOT NULL DEFAULT 7")
        )
        let new = try pool.node("new", next)
        // The newer program follows in the leader's format and does not answer reads.
        for node in [old, new] { _ = try node.member.look() }
        try Self.compare(a, new)
        #expect(!new.member.standing.canRead)
        #expect(old.member.standing.canRead)

        try pool.lead(new)
        #expect(new.said.all.contains(.formatRaised(next.format)))
        #expect(new.member.standing.canRead)
        let added = try await new.ledger.database.read {
            try Int.fetchAll($0, sql: "SELECT DISTINCT made_up FROM run")
        }
        #expect(added == [7])
        for _ in 0..<3 { _ = try old.member.look() }
        #expect(old.said.all.contains(.tooOld(format: next.format)))
        #expect(!old.member.leads)
        #expect(!old.member.standing.canRead)
    }

    @Test("keeps a snapshot now and then, and a journal that begins there")
    func snapshots() async throws {
        let pool = try JournalPool("snapshots")
        let (a, b) = (try pool.node("a"), try pool.node("b"))
        try pool.lead(a)
        let store = pool.journal.store(b.member.me)
        for round in 0..<6 {
            try await Self.fill(a.ledger, "run \(round)")
            _ = try b.member.look()
            _ = try b.member.keepSnapshot(store)
        }
        #expect(try store.snapshots().count == 2)
        #expect(pool.journal.entries.first?.seq == (try store.snapshots().last))
        // A new node starts from the snapshot.
        let c = try pool.node("c")
        _ = try c.member.look()
        try Self.compare(a, c)
    }

    @Test("whose snapshots are gone says so to who comes new, and has one again at once")
    func lostSnapshots() async throws {
        let pool = try JournalPool("lost-snapshots")
        let a = try pool.node("a")
        try pool.lead(a)
        try await Self.fill(a.ledger)
        pool.journal.forgetSnapshots()
        let b = try pool.node("b")
        #expect(throws: PoolError.noSnapshot) { _ = try b.member.look() }
        #expect(try a.member.keepSnapshot(pool.journal.store(a.member.me)))
        _ = try b.member.look()
        try Self.compare(a, b)
    }

    @Test("does not take the place of a ledger that has runs of its own")
    func ownRuns() async throws {
        let pool = try JournalPool("own")
        let path = pool.folder.file("a.sqlite")
        let plain = try SQLiteLedger(path: path)
        try await Self.fill(plain)
        try plain.close()
        #expect(throws: PoolError.ownLedger(path)) { try pool.node("a") }
    }

    @Test("is changed by nobody but its coordinators")
    func copyAlone() throws {
        let pool = try JournalPool("alone")
        let a = try pool.node("a")
        try pool.lead(a)
        #expect(throws: LedgerError.self) { try SQLiteLedger(path: a.ledger.path) }
        // A copy restored from a backup works on its own.
        let copy = pool.folder.file("copy.sqlite")
        try SQLiteLedger.copy(a.ledger.path, to: copy)
        try SQLiteLedger.raiseNumbers(inFileAt: copy)
        _ = try SQLiteLedger(path: copy)
    }
}

/// Refuses commits, as a full disk does.
private final class FullDisk: TransactionObserver, Sendable {
    private let full = Mutex(false)
    var isFull: Bool {
        get { full.withLock { $0 } }
        set { full.withLock { $0 = newValue } }
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseWillCommit() throws {
        if isFull { throw DatabaseError(resultCode: .SQLITE_FULL) }
    }
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
}
