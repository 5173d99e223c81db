// The leader's side of the journal: each commit is in PostgreSQL before it is one here.
//
// Invariants
//   - A change is answered after PostgreSQL has it under the term of this leader, and SQLite too.
//   - What is not known is asked: an append without an answer is settled before anything else.
//   - Who was fenced, or cannot know, takes its change back and steps down.
import FarmCore
import Foundation
import GRDB
import Synchronization

/// Where in the journal a copy of a ledger stands.
package struct JournalPosition: Sendable, Hashable {
    package var seq: Int64
    /// Of the last change; empty in a ledger that was never journaled.
    package var tx: Data
}

/// Appends the changes of a ledger's commits, while its process leads.
package final class LedgerJournal: Sendable {
    private let store: any JournalStore
    private let randomTx: @Sendable () -> Data
    private let pause: @Sendable () -> Void
    private let leading = Mutex<Int64?>(nil)
    private let reason = Mutex("")

    /// How often an unknown answer is asked for before the leader steps down.
    static let settlesMax = 100

    /// `randomTx` gives 16 random bytes; `pause` waits about 100 ms, where the store cannot be
    /// reached.
    package init(
        _ store: any JournalStore,
        randomTx: @escaping @Sendable () -> Data,
        pause: @escaping @Sendable () -> Void
    ) {
        self.store = store
        self.randomTx = randomTx
        self.pause = pause
    }

    /// The term that this process leads in; nil where it does not lead.
    package var term: Int64? { leading.withLock { $0 } }

    /// Why it stopped leading last; empty where it never led.
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

    /// Returns when what the session noted may be committed.
    ///
    /// - Throws: `LedgerError.notLeading`: it must be taken back.
    func keep(_ session: ChangeSession, _ db: Database) throws {
        guard let term else { throw LedgerError.notLeading }
        guard !session.isEmpty else {
            session.end()
            return try confirm()
        }
        let entry = try close(session, db)
        try append(entry, in: term)
    }

    /// Moves the copy's position, as a part of the change, and takes all of it.
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

    /// Asks what became of an append: nil, it is there; else the term to append it again in.
    ///
    /// Who stepped down meanwhile asks no more: what is there comes back from the journal.
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

    /// The term is another one, and the leader the same; false where it stepped down.
    private func goesOn(in term: Int64) -> Bool {
        leading.withLock { leading in
            guard leading != nil else { return false }
            leading = term
            return true
        }
    }

    /// Nothing was changed, and what was read may be promised: only a leader may.
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
