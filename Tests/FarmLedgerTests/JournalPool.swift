// Coordinators of one pool over a journal in memory that can lose answers.
import FarmSimulator
import FarmTesting
import Foundation
import Synchronization
import Testing

@testable import FarmLedger

/// Coordinators that take over from each other, each with its own copy.
final class JournalPool: Sendable {
    final class Node: Sendable {
        let ledger: SQLiteLedger
        let member: PoolMember
        let journal: LedgerJournal
        let nextFault: NextFault
        let said: EventList

        init(_ name: String, _ pool: JournalPool, path: String, _ schema: LedgerSchema) throws {
            let me = PoolMemberID(holder: name, url: "http://\(name):1")
            let nextFault = NextFault()
            let store = pool.journal.store(me) { nextFault.take() }
            let events = EventList()
            journal = LedgerJournal(store, randomTx: { pool.nextTx() }, pause: {})
            ledger = try SQLiteLedger(path: path, journal: journal, schema: schema)
            var limits = PoolLimits()
            limits.heartbeatSeconds = 0
            limits.restSeconds = 0
            limits.snapshotEntries = 5
            member = PoolMember(
                ledger,
                journal: journal,
                me: me,
                reader: pool.journal.store(me),
                writer: store,
                limits: limits,
                scratch: (path as NSString).deletingLastPathComponent,
                say: { events.add($0) }
            )
            self.nextFault = nextFault
            self.said = events
            try member.join(randomTx: pool.nextTx())
        }
    }

    final class NextFault: Sendable {
        private let faults = Mutex<[JournalFault]>([])
        func set(_ faults: [JournalFault]) { self.faults.withLock { $0 = faults } }
        func take() -> JournalFault {
            faults.withLock { $0.isEmpty ? .none : $0.removeFirst() }
        }
    }

    final class EventList: Sendable {
        private let events = Mutex<[LeadershipEvent]>([])
        func add(_ event: LeadershipEvent) { events.withLock { $0.append(event) } }
        var all: [LeadershipEvent] { events.withLock { $0 } }
    }

    let folder: TemporaryFolder
    let journal: SimulatedJournal
    private let clock: Clock
    private let transactions = Mutex<UInt64>(0)

    final class Clock: Sendable {
        private let milliseconds = Mutex<Int64>(0)
        var now: Int64 { milliseconds.withLock { $0 } }
        func pass(_ more: Int64) { milliseconds.withLock { $0 += more } }
    }

    init(_ name: String) throws {
        folder = try TemporaryFolder(name)
        let clock = Clock()
        self.clock = clock
        journal = SimulatedJournal(clock: { clock.now })
    }

    func node(_ name: String, _ schema: LedgerSchema = .current) throws -> Node {
        try Node(name, self, path: folder.file("\(name).sqlite"), schema)
    }

    func nextTx() -> Data {
        let number = transactions.withLock { number in
            number += 1
            return number
        }
        return withUnsafeBytes(of: number.bigEndian) { Data($0) }
    }

    /// Makes a node the leader, after the current leader's deadline.
    func lead(_ node: Node) throws {
        guard !isLed(by: node) else { return }
        clock.pass(60_000)
        for _ in 0..<5 where !isLed(by: node) { _ = try node.member.look() }
        try #require(node.member.leads)
    }

    private func isLed(by node: Node) -> Bool {
        node.member.leads && journal.row?.holder == node.member.me.holder
    }
}
