// Why a coordinator has no place in a pool, and what to do about it.
import FarmCore

/// Why a coordinator cannot join a pool.
package enum PoolError: ExplainedError, Hashable {
    case ownLedger(String)
    case poolGone(String)
    case noSnapshot

    package var code: String {
        switch self {
        case .ownLedger: "ledger-of-its-own"
        case .poolGone: "pool-gone"
        case .noSnapshot: "no-snapshot"
        }
    }
    package var message: String {
        switch self {
        case .ownLedger(let path): "the ledger \(path) has runs that no pool knows."
        case .poolGone(let path): "\(path) is a copy of a pool that PostgreSQL does not have."
        case .noSnapshot: "the pool has no snapshot to start from."
        }
    }
    package var remedy: String {
        switch self {
        case .ownLedger:
            "Move them with `snapfarm ledger move`, or name another folder with --data."
        case .poolGone: "Name the database and the pool that it belongs to, or another folder."
        case .noSnapshot: "Restore the database; keep the data folders of all coordinators."
        }
    }
    package var exit: ExitCode { .configuration }
}
