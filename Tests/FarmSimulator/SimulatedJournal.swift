// A pool's journal in memory, like PostgreSQL's, that can lose answers. It allows and refuses what
// the statements of `PostgresStore` do.
import FarmLedger
import Foundation
import Synchronization

/// The fate of one statement.
package enum JournalFault: Sendable, CaseIterable {
    case none
    /// The statement was not executed, and there is no answer.
    case lost
    /// The statement was executed, and there is no answer.
    case unanswered
    /// The database refuses the statement.
    case refused
}

/// One journal for the members of one pool.
package final class SimulatedJournal: Sendable {
    struct State {
        var row: PoolRow?
        /// The leader's deadline, in milliseconds by the journal's clock.
        var deadline: Int64 = 0
        var entries: [Int64: JournalEntry] = [:]
        var snapshots: [Int64: Data] = [:]
        var lockOwner: String?
        var appends = 0
        /// The number of appends refused because of their term.
        var fenced = 0
    }

    fileprivate let state = Mutex(State())
    /// The journal's own clock, in milliseconds.
    fileprivate let clock: @Sendable () -> Int64
    fileprivate let deadlineMilliseconds: Int64

    package init(clock: @escaping @Sendable () -> Int64, deadlineMilliseconds: Int64 = 5000) {
        self.clock = clock
        self.deadlineMilliseconds = deadlineMilliseconds
    }

    /// Returns one member's view of the journal; `fault` decides the fate of its next change.
    package func store(
        _ me: PoolMemberID,
        fault: @escaping @Sendable () -> JournalFault = { .none }
    ) -> some JournalStore {
        SimulatedStore(journal: self, me: me, fault: fault)
    }

    package var row: PoolRow? { state.withLock { $0.row } }
    package var appends: Int { state.withLock { $0.appends } }
    package var fenced: Int { state.withLock { $0.fenced } }
    package var entries: [JournalEntry] {
        state.withLock { $0.entries.values.sorted { $0.seq < $1.seq } }
    }

    /// Drops the newest entries, like a failover to a standby that lacked them.
    package func forget(after seq: Int64) {
        state.withLock { state in
            state.entries = state.entries.filter { $0.key <= seq }
            state.snapshots = state.snapshots.filter { $0.key <= seq }
            state.row?.seq = seq
        }
    }

    /// Removes all snapshots, as a lost table does.
    package func forgetSnapshots() { state.withLock { $0.snapshots = [:] } }

    /// Removes an entry, as if it had never arrived.
    package func remove(_ seq: Int64) { state.withLock { $0.entries[seq] = nil } }

    /// Replaces an entry by another change with the same number.
    package func replace(_ entry: JournalEntry) {
        state.withLock { $0.entries[entry.seq] = entry }
    }

    /// Releases the lock of a process that has died.
    package func died(_ holder: String) {
        state.withLock { if $0.lockOwner == holder { $0.lockOwner = nil } }
    }
}

private struct SimulatedStore: JournalStore {
    let journal: SimulatedJournal
    let me: PoolMemberID
    let fault: @Sendable () -> JournalFault

    /// Changes the journal; the answer may be lost.
    private func change<Value>(
        _ body: (inout SimulatedJournal.State) -> Value
    ) throws -> Value {
        switch fault() {
        case .none: return journal.state.withLock { body(&$0) }
        case .lost: throw JournalStoreError.unknown("the connection was cut")
        case .unanswered:
            _ = journal.state.withLock { body(&$0) }
            throw JournalStoreError.unknown("the connection was cut")
        case .refused: throw JournalStoreError.refused("the disk is full")
        }
    }

    private func seen(_ state: SimulatedJournal.State) -> PoolRow? {
        var row = state.row
        row?.millisecondsLeft = state.deadline - journal.clock()
        return row
    }

    private func extend(_ state: inout SimulatedJournal.State) {
        state.deadline = journal.clock() + journal.deadlineMilliseconds
    }

    func pool() throws -> PoolRow? { journal.state.withLock { seen($0) } }

    func append(_ entry: JournalEntry, term: Int64) throws -> Bool {
        try change { state in
            guard let row = state.row, row.term == term, row.seq == entry.seq - 1 else {
                state.fenced += 1
                return false
            }
            state.row?.seq = entry.seq
            state.entries[entry.seq] = entry
            state.appends += 1
            extend(&state)
            return true
        }
    }

    func confirm(isLocked: Bool?) throws -> PoolRow? {
        try change { state in
            guard state.row?.holder == me.holder else { return nil }
            extend(&state)
            if let isLocked { state.row?.isLocked = isLocked }
            return seen(state)
        }
    }

    func settle() throws -> PoolRow? {
        try change { state in
            guard state.row?.holder == me.holder else { return nil }
            state.row?.term += 1
            extend(&state)
            return seen(state)
        }
    }

    func takeOver(seen term: Int64, afterDeadline: Bool, isLocked: Bool) throws -> PoolRow? {
        try change { state in
            guard let row = state.row, row.term == term,
                !afterDeadline || state.deadline < journal.clock()
            else { return nil }
            state.row?.term = row.term + 1
            state.row?.holder = me.holder
            state.row?.url = me.url
            state.row?.isLocked = isLocked
            extend(&state)
            return seen(state)
        }
    }

    func handOver() throws {
        try change { state in
            if state.row?.holder == me.holder { state.deadline = journal.clock() - 1000 }
        }
        leave()
    }

    func report(seq: Int64, format: Int) throws {}

    func leave() { journal.died(me.holder) }

    func tryLock() throws -> Bool {
        journal.state.withLock { state in
            if state.lockOwner == nil { state.lockOwner = me.holder }
            return state.lockOwner == me.holder
        }
    }

    func entry(_ seq: Int64) throws -> JournalEntry? {
        journal.state.withLock { $0.entries[seq] }
    }

    func entries(after seq: Int64, limit: Int) throws -> [JournalEntry] {
        journal.state.withLock { state in
            state.entries.values.filter { $0.seq > seq }.sorted { $0.seq < $1.seq }
                .prefix(limit).map(\.self)
        }
    }

    func snapshots() throws -> [Int64] {
        journal.state.withLock { $0.snapshots.keys.sorted(by: >) }
    }

    func create(_ file: String, _ first: JournalEntry, format: Int) throws -> Bool {
        let bytes = FileManager.default.contents(atPath: file)
        return try change { state in
            guard state.row == nil else { return false }
            state.row = PoolRow(
                term: 1,
                seq: first.seq,
                holder: "",
                url: "",
                millisecondsLeft: 0,
                format: format,
                isLocked: false
            )
            state.deadline = journal.clock() - 1
            state.entries[first.seq] = first
            state.snapshots[first.seq] = bytes
            return true
        }
    }

    func raiseFormat(
        _ file: String,
        _ entry: JournalEntry,
        term: Int64,
        format: Int
    ) throws -> Bool {
        let bytes = FileManager.default.contents(atPath: file)
        return try change { state in
            guard state.row?.term == term, state.row?.seq == entry.seq - 1 else { return false }
            state.row?.seq = entry.seq
            state.row?.format = format
            state.entries[entry.seq] = entry
            state.snapshots[entry.seq] = bytes
            return true
        }
    }

    func keepSnapshot(_ file: String, seq: Int64) throws {
        let bytes = FileManager.default.contents(atPath: file)
        try change { state in
            if state.snapshots[seq] == nil { state.snapshots[seq] = bytes }
        }
    }

    func readSnapshot(_ seq: Int64, to file: String) throws {
        let bytes = journal.state.withLock { $0.snapshots[seq] }
        guard let bytes, FileManager.default.createFile(atPath: file, contents: bytes) else {
            throw JournalStoreError.refused("no snapshot \(seq)")
        }
    }

    func prune() throws {
        try change { state in
            let kept = state.snapshots.keys.sorted(by: >).prefix(2)
            guard kept.count == 2, let oldest = kept.last else { return }
            state.snapshots = state.snapshots.filter { $0.key >= oldest }
            state.entries = state.entries.filter { $0.key >= oldest }
        }
    }
}
