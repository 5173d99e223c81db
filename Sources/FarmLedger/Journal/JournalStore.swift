// What must keep a pool's journal, as PostgreSQL does. Every rule of the journal is above this
// protocol, so that tests and the simulator put a journal of their own under the same rules.
import FarmCore
import Foundation

/// The coordinators that share one ledger, as their row says.
package struct PoolRow: Sendable, Hashable {
    /// Raised by each coordinator that takes over, and by one that settles an unknown answer.
    package var term: Int64
    /// The number of the last change.
    package var seq: Int64
    /// Which process leads; another one at each start.
    package var holder: String
    /// Where the leader is reached.
    package var url: String
    /// Until its deadline, by the store's clock; negative where it has passed.
    package var millisecondsLeft: Int64
    /// Of the rows that changesets change: the number of the ledger's migrations.
    package var format: Int
    /// The leader holds the pool's lock: who gets it knows that the leader is gone.
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
    /// Random: tells this change from another one with its number.
    package var tx: Data
    /// SQLite's.
    package var changeset: Data

    package init(seq: Int64, tx: Data, changeset: Data) {
        self.seq = seq
        self.tx = tx
        self.changeset = changeset
    }
}

/// Who asks, as the pool's row will say.
package struct PoolMemberID: Sendable, Hashable {
    /// Who holds a pool whose ledger is in a folder again.
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
/// Every call blocks its thread, within a limit.
/// - Throws: from every call `JournalStoreError`.
package protocol JournalStore: Sendable {
    /// Nil where the pool was never made.
    func pool() throws -> PoolRow?
    /// Appends behind the entry before, under a term, and extends the deadline.
    ///
    /// False: the term has passed, or another entry is there. An answer that did not come is
    /// `JournalStoreError.unknown`: then only `settle` can tell.
    func append(_ entry: JournalEntry, term: Int64) throws -> Bool
    /// Extends the deadline; the row where this member leads, else nil.
    /// `isLocked` says anew whether it holds the lock; nil: as before.
    func confirm(isLocked: Bool?) throws -> PoolRow?
    /// Raises the term of a pool that this member leads, behind every append that is on its way, and
    /// fences those; the row, or nil where it leads no more.
    func settle() throws -> PoolRow?
    /// Makes this member the leader, where the term is still the one it saw.
    ///
    /// With `afterDeadline` only where the deadline has passed.
    func takeOver(seen term: Int64, afterDeadline: Bool, isLocked: Bool) throws -> PoolRow?
    /// Ends this member's time at once, for the next one.
    func handOver() throws
    /// Says how far this member's copy is, for people.
    func report(seq: Int64, format: Int) throws
    /// Gives back all that its process has there, the lock too.
    func leave()
    /// Tries to get the pool's lock, which its process loses with its connection.
    func tryLock() throws -> Bool
    func entry(_ seq: Int64) throws -> JournalEntry?
    /// Those after a number, in order; fewer where they are large, and none after a gap.
    func entries(after seq: Int64, limit: Int) throws -> [JournalEntry]
    /// The numbers that snapshots stand at, the newest first.
    func snapshots() throws -> [Int64]
    /// Makes the pool with a ledger's file as its first snapshot; false where it is there.
    func create(_ file: String, _ first: JournalEntry, format: Int) throws -> Bool
    /// Raises the format of a pool in a term, with the first snapshot of it; false: fenced.
    func raiseFormat(
        _ file: String,
        _ entry: JournalEntry,
        term: Int64,
        format: Int
    ) throws -> Bool
    /// Keeps a ledger's file as the snapshot of a number; one that is there stays.
    func keepSnapshot(_ file: String, seq: Int64) throws
    /// Writes a snapshot to a new file.
    func readSnapshot(_ seq: Int64, to file: String) throws
    /// Removes all snapshots but the newest two, and the entries before the older one.
    func prune() throws
}

/// Why a journal did not do what it was asked.
package enum JournalStoreError: ExplainedError, Hashable {
    /// The connection ended, or no answer came in time: it may be done or not.
    case unknown(String)
    /// It was not done.
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

    /// Whether the server answered and refused the connection; libpq says that in words alone.
    private static func isDenied(_ reason: String) -> Bool {
        guard reason.contains("FATAL") || reason.contains("no password supplied") else {
            return false
        }
        return ["authentication failed", "no password supplied", "does not exist", "pg_hba.conf"]
            .contains { reason.contains($0) }
    }
}
