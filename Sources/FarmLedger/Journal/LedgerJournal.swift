// The leader's side of the journal: each commit is in PostgreSQL before it is in SQLite.
//
// Invariants
//   - A change is answered after PostgreSQL has it under this leader's term, and SQLite too.
//   - An append without an answer is settled before any other call.
//   - A leader that is fenced, or cannot find out, rolls its change back and steps down.
import FarmCore
import Foundation
import GRDB
import Synchronization

/// The position of a ledger's copy in the journal.
package struct JournalPosition: Sendable, Hashable {
    package var seq: Int64
    /// The random bytes (`JournalEntry.tx`) of the last change; empty in a ledger that was never
    /// journaled.
    package var tx: Data
}

/// The journal of a ledger: appends its commits while this process leads.
package final class LedgerJournal: Sendable {
    private let store: any JournalStore
    private let randomTx: @Sendable () -> Data
    private let pause: @Sendable () -> Void
    private let leading = Mutex<Int64?>(nil)
    private let reason = Mutex("")

    /// The most tries to settle an unknown answer before the leader steps down.
    static let settlesMax = 100

    /// Makes a journal whose process does not lead yet.
    ///
    /// `randomTx` returns 16 random bytes. `pause` waits about 100 ms, between tries to reach the
    /// store.
    package init(
        _ store: any JournalStore,
        randomTx: @escaping @Sendable () -> Data,
        pause: @escaping @Sendable () -> Void
    ) {
        self.store = store
        self.randomTx = randomTx
        self.pause = pause
    }

    /// The term in which this process leads, or `nil` if it does not lead.
    package var term: Int64? { leading.withLock { $0 } }

    /// The reason of the last step down, or empty before the first one.
    package var lastReason: String { reason.withLock { $0 } }

    func newTx() -> Data { randomTx() }

    func lead(in term: Int64) { leading.withLock { $0 = term } }

    func stepDown(_ why: String) {
        let wasLeading = leading.withLock { leading in
            defer { leading = nil }
            return leading != nil
        }
        if wasLeading { reason.withLock { $0 = why } }
    }

    /// Appends the changes of a session to the journal; returns when SQLite may commit them.
    ///
    /// - Throws: `LedgerError.notLeading`; then the change must be rolled back.
    func keep(_ session: ChangeSession, _ db: Database) throws {
        guard let term else { throw LedgerError.notLeading }
        guard !session.isEmpty else {
            session.end()
            return try confirm()
        }
        let entry = try close(session, db)
        try append(entry, in: term)
    }

    /// Adds the copy's new position to the session, ends it, and returns all its changes as an
    /// entry.
    private func close(_ session: ChangeSession, _ db: Database) throws -> JournalEntry {
        let tx = randomTx()
        // A lease that came and went in one transaction leaves no row: its number travels here.
        try db.executeKept(
            sql: """
                UPDATE journal_position SET seq = seq + 1, tx = ?, \(SQLiteLedger.numbersNow)
                """,
            arguments: [tx]
        )
        let seq = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT seq FROM journal_position")
        )
        let changeset = try session.changeset()
        session.end()
        return JournalEntry(seq: seq ?? 0, tx: tx, changeset: changeset)
    }

    private func append(_ entry: JournalEntry, in first: Int64) throws {
        var term = first
        while true {
            do {
                if try store.append(entry, term: term) { return }
                try fail("another coordinator leads")
            } catch JournalStoreError.unknown(let why) {
                guard let settled = try settle(entry, why) else { return }
                term = settled
            } catch let error as JournalStoreError {
                try fail(error.message)
            }
        }
    }

    /// Finds out whether the journal has an entry whose append got no answer.
    ///
    /// Returns `nil` if the journal has it, else the new term for another append. Throws if this
    /// process stepped down meanwhile: its copy gets the entry from the journal again.
    private func settle(_ entry: JournalEntry, _ why: String) throws -> Int64? {
        for _ in 0..<Self.settlesMax where term != nil {
            do {
                guard let row = try store.settle(), goesOn(in: row.term) else { break }
                if row.seq == entry.seq - 1 { return row.term }
                guard row.seq == entry.seq, try store.entry(entry.seq)?.tx == entry.tx else {
                    break
                }
                return nil
            } catch JournalStoreError.unknown {
                pause()
            }
        }
        try fail(why)
    }

    /// Adopts the new term of this leader; returns `false` if this process has stepped down.
    private func goesOn(in term: Int64) -> Bool {
        leading.withLock { leading in
            guard leading != nil else { return false }
            leading = term
            return true
        }
    }

    /// Checks that this process still leads, for a commit without changes: its caller acts on rows
    /// that it read.
    ///
    /// - Throws: `LedgerError.notLeading`.
    private func confirm() throws {
        var why = ""
        for _ in 0..<Self.settlesMax where term != nil {
            do {
                guard try store.confirm(isLocked: nil) != nil else {
                    try fail("another coordinator leads")
                }
                return
            } catch JournalStoreError.unknown(let reason) {
                why = reason
                pause()
            } catch let error as JournalStoreError {
                try fail(error.message)
            }
        }
        try fail(why)
    }

    private func fail(_ why: String) throws -> Never {
        stepDown(why)
        throw LedgerError.notLeading
    }
}
