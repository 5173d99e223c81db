// The errors of the ledger, each with a remedy.
import FarmCore

/// The reason why a call of the ledger failed.
package enum LedgerError: ExplainedError {
    case noRun(RunID)
    case noLease(LeaseID)
    case damaged(String)
    /// The ledger refused a decision; the text names the decision's fault.
    case badDecision(String)
    case storage(path: String, reason: String, full: Bool)
    case newer(_ path: String)
    /// A build before the first release wrote the ledger's file.
    case unreleased(_ path: String)
    /// This coordinator does not lead its pool; nothing was changed.
    case notLeading
    /// The file is a copy of a ledger that a pool of coordinators shares.
    case journaled(path: String)

    package var code: String {
        switch self {
        case .noRun: "unknown-run"
        case .noLease: "unknown-lease"
        case .damaged: "ledger-damaged"
        case .badDecision: "bad-decision"
        case .storage(_, _, let full): full ? "disk-full" : "ledger-storage"
        case .newer: "ledger-newer"
        case .unreleased: "ledger-unreleased"
        case .notLeading: "no-leader"
        case .journaled: "ledger-journaled"
        }
    }
    package var message: String {
        switch self {
        case .noRun(let id): "the ledger has no run \(id)."
        case .noLease(let id): "the ledger has no lease \(id)."
        case .damaged(let what): "the ledger holds something it never wrote: \(what)."
        case .badDecision(let fact): "nothing was decided: \(fact)."
        case .storage(let path, let reason, let full):
            full ? "no space left for the ledger \(path)." : "the ledger \(path): \(reason)."
        case .newer(let path): "the ledger \(path) was written by a newer snapfarm."
        case .unreleased(let path):
            "the ledger \(path) was written by a build before 0.1.0, whose tables this program does "
                + "not read."
        case .notLeading: "this coordinator does not lead now; nothing was changed."
        case .journaled(let path):
            "the ledger \(path) is a copy of one in PostgreSQL; only its coordinator may change it."
        }
    }
    package var remedy: String {
        switch self {
        case .noRun: "List runs with `snapfarm runs`."
        case .noLease: "Nothing to do: the worker lost it."
        case .damaged: "Keep the data folder and run `snapfarm check`."
        case .badDecision: "Decide about fewer pictures at once, or in fewer words."
        case .storage(_, _, let full):
            full
                ? "Free space, or choose another folder with --data; then run again with --resume."
                : "Check the folder's rights and its disk; of a damaged file restore a backup with "
                    + "`snapfarm restore`, or choose another folder with --data."
        case .newer: "Use the program that wrote it, or another folder with --data."
        case .notLeading: "Ask again in a second: another coordinator takes over."
        case .unreleased:
            "Let its runs end and publish what is decided with that build; then move the file away: "
                + "this program begins a new one. References, sets, zips and histories stay as they are."
        case .journaled:
            "Serve it with `ledger:`, or bring it back to a folder with `snapfarm ledger move --back`."
        }
    }
    package var exit: ExitCode {
        switch self {
        case .noRun: .usage
        case .noLease, .damaged: .internal
        case .badDecision: .invalidInput
        case .storage: .inputOutput
        case .newer, .unreleased, .journaled: .configuration
        case .notLeading: .unavailable
        }
    }
}
