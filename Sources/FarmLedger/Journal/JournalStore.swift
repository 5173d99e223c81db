// The interface of a store for a pool's journal, such as PostgreSQL. All rules of the journal are
// above this protocol, so that tests and the simulator run them over a journal of their own.
import FarmCore
import Foundation

/// The row of a pool: the coordinators that share one ledger.
package struct PoolRow: Sendable, Hashable {
    /// The term; each takeover raises it, and so does a leader that settles an unknown answer.
    package var term: Int64
    /// The number of the last change in the journal.
    package var seq: Int64
    /// The id of the leading process, a new one at each start.
    package var holder: String
    /// The URL of the leading coordinator.
    package var url: String
    /// The time left until the leader's deadline, by the store's clock; negative after the
    /// deadline.
    package var millisecondsLeft: Int64
    /// The format of the rows in changesets, as ``LedgerSchema/format`` numbers it.
    package var format: Int
    /// Whether the leader holds the pool's lock in the database.
    ///
    /// If a follower gets the lock, the leader is gone.
    package var isLocked: Bool

    package var isOver: Bool { millisecondsLeft <= 0 }

    package init(
        term: Int64,
        seq: Int64,
        holder: String,
        url: String,
        millisecondsLeft: Int64,
        format: Int,
        isLocked: Bool
    ) {
        self.term = term
        self.seq = seq
        self.holder = holder
        self.url = url
        self.millisecondsLeft = millisecondsLeft
        self.format = format
        self.isLocked = isLocked
    }
}

/// The changes of one commit.
package struct JournalEntry: Sendable, Hashable {
    package var seq: Int64
    /// Random bytes that tell this change from another one with the same number.
    package var tx: Data
    /// The changes in SQLite's changeset format.
    package var changeset: Data

    package init(seq: Int64, tx: Data, changeset: Data) {
        self.seq = seq
        self.tx = tx
        self.changeset = changeset
    }
}

/// The identity of a coordinator, as the pool's row has it.
package struct PoolMemberID: Sendable, Hashable {
    /// The `holder` of a pool whose ledger was moved back to a folder.
    package static let folder = "a folder"

    package var holder: String
    package var url: String

    package init(holder: String, url: String) {
        self.holder = holder
        self.url = url
    }
}

/// A journal that outlives its coordinators.
///
/// Every call blocks its thread for a limited time.
///
/// - Throws: Every call throws `JournalStoreError`.
package protocol JournalStore: Sendable {
    /// Returns the pool's row, or `nil` if there is no such pool.
    func pool() throws -> PoolRow?
    /// Appends an entry to the journal under a term, and extends the leader's deadline.
    ///
    /// Returns `false` if the term has passed or another entry has this number. Without an answer
    /// it throws `JournalStoreError.unknown`; then `settle` finds out.
    func append(_ entry: JournalEntry, term: Int64) throws -> Bool
    /// Extends the leader's deadline and returns the pool's row, or `nil` if this member does not
    /// lead.
    ///
    /// `isLocked` replaces the row's flag; `nil` leaves it.
    func confirm(isLocked: Bool?) throws -> PoolRow?
    /// Raises the term of a pool that this member leads, and returns the pool's row, or `nil` if
    /// this member leads no more.
    ///
    /// An append still on its way is then either counted in the row's `seq` or refused.
    func settle() throws -> PoolRow?
    /// Makes this member the leader if the term is still `term`; returns the pool's row, or `nil`
    /// if this member does not lead then.
    ///
    /// With `afterDeadline` it also requires that the deadline has passed.
    func takeOver(seen term: Int64, afterDeadline: Bool, isLocked: Bool) throws -> PoolRow?
    /// Ends this member's lead at once, so that another one may take over.
    func handOver() throws
    /// Stores the position of this member's copy in the pool, for people.
    func report(seq: Int64, format: Int) throws
    /// Closes the connection to the store, and so frees the pool's lock.
    func leave()
    /// Tries to get the pool's lock, and returns whether this process holds it.
    ///
    /// The process loses the lock with its connection.
    func tryLock() throws -> Bool
    func entry(_ seq: Int64) throws -> JournalEntry?
    /// Returns at most `limit` entries after the number `seq`, in order; fewer if entries are
    /// large.
    func entries(after seq: Int64, limit: Int) throws -> [JournalEntry]
    /// Returns the numbers of the last entries that the snapshots include, newest first.
    func snapshots() throws -> [Int64]
    /// Makes the pool with a ledger's file as its first snapshot; returns `false` if it is there
    /// already.
    func create(_ file: String, _ first: JournalEntry, format: Int) throws -> Bool
    /// Raises the format of a pool and stores the first snapshot in the new format; returns `false`
    /// if the term has passed.
    func raiseFormat(
        _ file: String,
        _ entry: JournalEntry,
        term: Int64,
        format: Int
    ) throws -> Bool
    /// Stores a ledger's file as the snapshot after the entry `seq`, unless there is one.
    func keepSnapshot(_ file: String, seq: Int64) throws
    /// Writes a snapshot to a new file.
    func readSnapshot(_ seq: Int64, to file: String) throws
    /// Removes all snapshots but the newest two, and the entries before the older one.
    func prune() throws
}

/// The failure of a journal's call.
package enum JournalStoreError: ExplainedError, Hashable {
    /// The connection ended, or no answer came in time.
    ///
    /// The call may have had its effect or not.
    case unknown(String)
    /// The store refused the call, which had no effect.
    case refused(String)
    case noLibrary
    case badURL(String)
    case noPool(String)

    package var code: String {
        switch self {
        case .unknown(let reason): Self.isDenied(reason) ? "ledger-denied" : "journal-unreachable"
        case .refused: "journal-refused"
        case .noLibrary: "no-libpq"
        case .badURL: "bad-ledger-url"
        case .noPool: "unknown-pool"
        }
    }
    package var message: String {
        switch self {
        case .unknown(let reason):
            Self.isDenied(reason)
                ? "PostgreSQL refused the connection: \(reason)."
                : "PostgreSQL did not answer: \(reason)."
        case .refused(let reason): "PostgreSQL refused: \(reason)."
        case .noLibrary: "the library libpq, which speaks to PostgreSQL, is not installed."
        case .badURL(let url):
            "\(url) is no address of PostgreSQL, or the password was written into it."
        case .noPool(let pool): "PostgreSQL has no ledger of the pool \(pool)."
        }
    }
    package var remedy: String {
        switch self {
        case .unknown(let reason) where Self.isDenied(reason):
            "Correct user and database in the ledger's URL, or the password: it is in the variable that "
                + "`password:` names, or in PGPASSWORD."
        case .unknown: "Look whether the database runs and can be reached from here."
        case .refused: "Give the user of the ledger's URL the rights of docs/ha.md."
        case .noLibrary: "Install it: `apt-get install libpq5`, or `brew install libpq`."
        case .badURL:
            "Write it as postgres://USER@HOST:PORT/DATABASE, and the password in PGPASSWORD."
        case .noPool: "Start a coordinator with that pool, or name another with --pool."
        }
    }
    package var exit: ExitCode {
        switch self {
        case .unknown(let reason): Self.isDenied(reason) ? .configuration : .unavailable
        case .refused: .inputOutput
        case .noLibrary: .configuration
        case .badURL, .noPool: .usage
        }
    }

    /// Returns whether the server answered and refused the connection; libpq reports that only as
    /// text.
    private static func isDenied(_ reason: String) -> Bool {
        guard reason.contains("FATAL") || reason.contains("no password supplied") else {
            return false
        }
        return ["authentication failed", "no password supplied", "does not exist", "pg_hba.conf"]
            .contains { reason.contains($0) }
    }
}
