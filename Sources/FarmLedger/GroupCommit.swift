// One commit for all waiting changes. A commit costs a write to the disk, and a hundred workers
// that report at once would pay for a hundred. Measured: 43 times as many cycles a second.
//
// Invariants
//   - A change is answered after its commit, or after it was rolled back.
//   - A change that fails rolls back itself and no other change of its group.
//   - A commit that fails rolls back the whole group, and every change in it gets the error.
//   - With a journal, the journal has a commit before the database has it.
import GRDB
import NIOConcurrencyHelpers
import Synchronization

/// Applies changes to a database one after the other, many to a commit.
final class GroupCommit: Sendable {
    /// The most changes in one commit; further ones wait for the next commit.
    private static let changesMax = 64

    private let database: any DatabaseWriter
    private let journal: LedgerJournal?
    /// The lock that all callers' threads contend for.
    ///
    /// It is no `Mutex`, because the thread sanitizer on Linux does not see a `Mutex` that a thread
    /// waits for (CONTRIBUTING.md).
    private let state = NIOLockedValueBox(State())

    private struct State {
        var waiting: [any PendingChange] = []
        /// Whether a thread is applying changes; that thread also applies changes that arrive
        /// meanwhile.
        var isBusy = false
        var commits = 0
    }

    init(_ database: any DatabaseWriter, journal: LedgerJournal? = nil) {
        self.database = database
        self.journal = journal
    }

    /// The number of commits made so far.
    var commits: Int { state.withLockedValue { $0.commits } }

    /// The number of changes that wait for a commit to begin.
    var waiting: Int { state.withLockedValue { $0.waiting.count } }

    /// Applies `change` to the database, and returns its value when the change is durable.
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

    /// Takes the changes of the next commit, or returns `nil` and clears `isBusy` if none waits.
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
            // A savepoint for each change is a tenth of a commit's work, and nearly no change
            // fails. Therefore the group runs without savepoints first, and again with them after a
            // failure.
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
            // The journal has the commit: this coordinator steps down and follows the journal.
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
            // SQLite ends the whole transaction if the disk is full, in spite of the savepoint.
            guard db.isInsideTransaction else { throw error }
            try db.executeKept(sql: "ROLLBACK TRANSACTION TO SAVEPOINT change")
            change.fail(error)
        }
        try db.executeKept(sql: "RELEASE SAVEPOINT change")
    }
}

/// A change that waits for its commit.
private protocol PendingChange: Sendable {
    func apply(_ db: Database) throws
    /// Notes the error of this change, which was rolled back alone.
    func fail(_ error: any Error)
    /// Resumes the caller with the result of the change, or with `error` if the whole group failed.
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
