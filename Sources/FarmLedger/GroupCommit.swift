// One commit for every change that waits: a commit costs a write to the disk, and a hundred workers
// that report at once would pay a hundred. Measured: 43 times as
// many cycles a second.
//
// Invariants
//   - A change is answered after the commit that holds it, or after it was taken back.
//   - A change that fails takes back itself and nothing else of its group.
//   - A commit that fails takes back the whole group, and each change of it is told.
//   - With a journal, the journal has a commit before the database has it.
import GRDB
import NIOConcurrencyHelpers
import Synchronization

/// Applies changes to a database one after the other, many to a commit.
final class GroupCommit: Sendable {
    /// Changes of one commit: what waits longer than these take is another commit.
    private static let changesMax = 64

    private let database: any DatabaseWriter
    private let journal: LedgerJournal?
    /// The one lock that every connection's thread fights for: of this kind, because the thread
    /// sanitizer does not see a `Mutex` that somebody waits for on Linux (CONTRIBUTING.md).
    private let state = NIOLockedValueBox(State())

    private struct State {
        var waiting: [any PendingChange] = []
        /// Somebody is applying changes, and will look again.
        var isBusy = false
        var commits = 0
    }

    init(_ database: any DatabaseWriter, journal: LedgerJournal? = nil) {
        self.database = database
        self.journal = journal
    }

    /// Commits made so far.
    var commits: Int { state.withLockedValue { $0.commits } }

    /// Changes that no commit has begun with.
    var waiting: Int { state.withLockedValue { $0.waiting.count } }

    /// Applies a change; returns when it is durable.
    func write<Value: Sendable>(
        _ change: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let pending = Change(change, answer: { continuation.resume(with: $0) })
            let isFirst = state.withLockedValue { state in
                state.waiting.append(pending)
                defer { state.isBusy = true }
                return !state.isBusy
            }
            guard isFirst else { return }
            database.asyncWriteWithoutTransaction { self.applyAll($0) }
        }
    }

    private func applyAll(_ db: Database) {
        while let group = next() {
            do {
                try commit(group, db)
                state.withLockedValue { $0.commits += 1 }
                for change in group { change.answer(nil) }
            } catch {
                if db.isInsideTransaction { try? db.rollback() }
                for change in group { change.answer(error) }
            }
        }
    }

    /// The changes of the next commit; nil when none waits, and then nobody is busy.
    private func next() -> [any PendingChange]? {
        state.withLockedValue { state in
            guard !state.waiting.isEmpty else {
                state.isBusy = false
                return nil
            }
            let group = Array(state.waiting.prefix(Self.changesMax))
            state.waiting.removeFirst(group.count)
            return group
        }
    }

    private func commit(_ group: [any PendingChange], _ db: Database) throws {
        if let journal, journal.term == nil { throw LedgerError.notLeading }
        var session: ChangeSession?
        do {
            session = try begin(db)
            for change in group { try change.apply(db) }
        } catch {
            // Nearly no change fails, and a way back for each is a tenth of a commit's work: only
            // where one did fail, the group is applied again with one.
            guard group.count > 1, db.isInsideTransaction else { throw error }
            session?.end()
            try db.rollback()
            session = try begin(db)
            for change in group { try applyOrTakeBack(change, db) }
        }
        if let journal, let session { try journal.keep(session, db) }
        do {
            try db.executeKept(sql: "COMMIT TRANSACTION")
        } catch {
            // The journal has it: this copy follows it there.
            journal?.stepDown("its own copy of the ledger could not be written: \(error)")
            throw error
        }
    }

    private func begin(_ db: Database) throws -> ChangeSession? {
        try db.executeKept(sql: "BEGIN IMMEDIATE TRANSACTION")
        return try journal.map { _ in try ChangeSession(db) }
    }

    private func applyOrTakeBack(_ change: any PendingChange, _ db: Database) throws {
        try db.executeKept(sql: "SAVEPOINT change")
        do {
            try change.apply(db)
        } catch {
            // A full disk ends the whole transaction, whatever the savepoint says.
            guard db.isInsideTransaction else { throw error }
            try db.executeKept(sql: "ROLLBACK TRANSACTION TO SAVEPOINT change")
            change.fail(error)
        }
        try db.executeKept(sql: "RELEASE SAVEPOINT change")
    }
}

/// A change on its way to the disk.
private protocol PendingChange: Sendable {
    func apply(_ db: Database) throws
    /// It took itself back.
    func fail(_ error: any Error)
    /// Tells who waits; `error` is what befell the whole group.
    func answer(_ error: (any Error)?)
}

private final class Change<Value: Sendable>: PendingChange {
    private let change: @Sendable (Database) throws -> Value
    private let answer: @Sendable (Result<Value, any Error>) -> Void
    private let result = Mutex<Result<Value, any Error>?>(nil)

    init(
        _ change: @escaping @Sendable (Database) throws -> Value,
        answer: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        self.change = change
        self.answer = answer
    }

    func apply(_ db: Database) throws {
        let value = try change(db)
        result.withLock { $0 = .success(value) }
    }

    func fail(_ error: any Error) { result.withLock { $0 = .failure(error) } }

    func answer(_ error: (any Error)?) {
        let own = result.withLock { $0 }
        answer(error.map { .failure($0) } ?? own ?? .failure(CancellationError()))
    }
}
