// The errors of a coordinator that joins or moves a pool, with remedies.
import FarmCore

/// The reason for which a coordinator cannot join a pool, or a pool cannot be moved.
package enum PoolError: ExplainedError, Hashable {
    case ownLedger(String)
    case poolGone(String)
    case noSnapshot
    /// The pool's ledger was moved back to a folder.
    case moved
    case taken(String)
    /// A coordinator leads the pool, so it cannot be moved.
    case led(String, by: String)
    /// The copy that a move wrote differs from its original.
    case notEqual(String)
    /// The folder holds a copy of a shared ledger, and the caller named no shared ledger.
    case unnamed(String)

    package var code: String {
        switch self {
        case .ownLedger: "ledger-of-its-own"
        case .poolGone: "pool-gone"
        case .noSnapshot: "no-snapshot"
        case .moved: "pool-moved"
        case .taken: "pool-taken"
        case .led: "pool-led"
        case .notEqual: "copies-differ"
        case .unnamed: "ledger-journaled"
        }
    }
    package var message: String {
        switch self {
        case .ownLedger(let path): "the ledger \(path) has runs that no pool knows."
        case .poolGone(let path): "\(path) is a copy of a pool that PostgreSQL does not have."
        case .noSnapshot:
            "PostgreSQL has no snapshot of the pool, and this coordinator has no copy to go on from."
        case .moved: "the pool's ledger was moved to a folder; no coordinator leads it any more."
        case .taken(let pool): "PostgreSQL has a pool \(pool) already."
        case .led(let pool, let url):
            "the pool \(pool) is led by \(url.isEmpty ? "a coordinator" : url)."
        case .unnamed(let data):
            "\(data) is a copy of a ledger in PostgreSQL, which has all tokens."
        case .notEqual(let words): "the two copies of the ledger differ: \(words)."
        }
    }
    package var remedy: String {
        switch self {
        case .ownLedger:
            "Name another folder with --data to follow the pool; or take these runs to a pool of "
                + "their own with `snapfarm ledger move --pool NAME`."
        case .poolGone: "Name the database and the pool that it belongs to, or another folder."
        case .noSnapshot:
            "Start a coordinator that has a copy: it keeps a snapshot within seconds, and this one goes on. "
                + "If none has, restore the database; keep all data folders."
        case .moved: "Serve that folder, or move it back under another name of a pool."
        case .taken: "Name another with --pool."
        case .led: "Stop its coordinators first; five seconds later it has no leader."
        case .unnamed:
            "Name with --config the coordinator's configuration, which has `ledger:`, and not --data."
        case .notEqual: "Keep both, and please report it. Nothing was moved."
        }
    }
    package var exit: ExitCode {
        switch self {
        case .led: .busy
        case .taken: .usage
        case .notEqual: .internal
        case .ownLedger, .poolGone, .noSnapshot, .moved, .unnamed: .configuration
        }
    }
}
