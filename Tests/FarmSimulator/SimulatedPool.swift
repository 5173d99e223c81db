// Two coordinators that take over from each other through a journal that loses answers. The newest
// coordinator always leads; the one before it wakes up later and must be fenced.
import FarmLedger
import Foundation
import GRDB
import Synchronization

final class SimulatedPool: Sendable {
    private struct State {
        var turn = 0
        var members: [PoolMember] = []
        var random: SimulatorRandom
        var transactions: UInt64 = 0
        var isCalm = false
    }

    /// The journal's clock, in milliseconds; it advances when a coordinator has died.
    private let clock: SharedClock

    private let table: LedgerTable
    private let workersMin: Int
    private let journal: SimulatedJournal
    private let state: Mutex<State>

    init(_ table: LedgerTable, _ workersMin: Int, seed: UInt64) {
        self.table = table
        self.workersMin = workersMin
        let clock = SharedClock()
        self.clock = clock
        journal = SimulatedJournal(clock: { clock.now })
        state = Mutex(State(random: SimulatorRandom(seed: seed)))
    }

    /// Starts the next coordinator, over the copy of the one before the last.
    func lead() throws -> SQLiteLedger {
        let turn = state.withLock { state in
            state.turn += 1
            return state.turn
        }
        clock.now += 60_000
        let database = turn.isMultiple(of: 2) ? table.other : table.database
        let me = PoolMemberID(holder: "coordinator \(turn)", url: "http://c\(turn)")
        let store = journal.store(me) { self.nextFault() }
        let log = LedgerJournal(store, randomTx: { self.nextTransaction() }, pause: {})
        let ledger = try SQLiteLedger(
            over: database,
            path: database.path,
            workersMin: workersMin,
            journal: log
        )
        let member = PoolMember(
            ledger,
            journal: log,
            me: me,
            reader: journal.store(me),
            writer: store,
            limits: limits,
            scratch: table.folder,
            say: { _ in }
        )
        // The first coordinator creates the pool, and the answer may be lost.
        for _ in 0..<Self.looksMax where journal.row == nil {
            do { try member.join(randomTx: nextTransaction()) } catch is JournalStoreError {}
        }
        try member.join(randomTx: nextTransaction())
        for _ in 0..<Self.looksMax where !member.leads {
            do { _ = try member.look() } catch is JournalStoreError {}
        }
        guard member.leads else { throw BrokenPromise("no coordinator leads") }
        try fenceOlder()
        state.withLock { $0.members.append(member) }
        return ledger
    }

    private static let looksMax = 100

    /// Each look of a leader checks whether it still leads.
    private var limits: PoolLimits {
        var limits = PoolLimits()
        limits.heartbeatSeconds = 0
        limits.restSeconds = 0
        return limits
    }

    /// Wakes the previous coordinator, which must notice that it no longer leads.
    private func fenceOlder() throws {
        guard let older = state.withLock({ $0.members.last }) else { return }
        for _ in 0..<Self.looksMax where older.leads { try look(older) }
        guard !older.leads else { throw BrokenPromise("two coordinators lead") }
    }

    private func look(_ member: PoolMember) throws {
        do { _ = try member.look() } catch is JournalStoreError {}
    }

    func checkCopies() throws {
        let members = state.withLock { state in
            state.isCalm = true
            return state.members
        }
        guard members.last?.leads == true, let older = members.dropLast().last else { return }
        // It steps down, then follows.
        for _ in 0..<3 { try look(older) }
        let comparison = try LedgerComparison(table.database.path, table.other.path)
        guard comparison.areEqual else {
            throw BrokenPromise("the copies differ in \(comparison.differences)")
        }
    }

    private func nextFault() -> JournalFault {
        state.withLock { state in
            guard !state.isCalm else { return .none }
            switch state.random.number(0...19) {
            case 0: return .lost
            case 1: return .unanswered
            default: return .none
            }
        }
    }

    private func nextTransaction() -> Data {
        let number = state.withLock { state in
            state.transactions += 1
            return state.transactions
        }
        return withUnsafeBytes(of: number.bigEndian) { Data($0) }
    }
}

private final class SharedClock: Sendable {
    private let milliseconds = Mutex<Int64>(0)

    var now: Int64 {
        get { milliseconds.withLock { $0 } }
        set { milliseconds.withLock { $0 = newValue } }
    }
}
