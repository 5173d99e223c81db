// Refusals and gaps of a remote store that answers. Every text is masked before it is put into a
// case.
import FarmCore

/// An error of a store at a remote; `remote` is the masked location.
package enum RemoteStoreError: ExplainedError, Equatable {
    /// The remote refused the change: a hook, a protected branch, read-only access.
    case refused(remote: String, reference: String, reason: String)
    /// The remote is a repository, but not a store.
    case notAStore(remote: String, fact: String)
    /// The repository contains something else, so it cannot become a store.
    case usedOtherwise(remote: String, reference: String)
    case unknownFormat(remote: String, format: String)
    /// The remote lacks a subtree of the pin. `line` is the pin's line, from 1.
    case pinNotAtRemote(path: SubtreePath, object: ObjectID, line: Int, remote: String)
    /// The remote did not send a requested object.
    case incomplete(what: String, object: ObjectID, remote: String)
    /// Other processes kept writing the journal.
    case journalMoving(remote: String)

    package var code: String {
        switch self {
        case .refused: "remote-refused"
        case .notAStore, .usedOtherwise: "remote-not-a-store"
        case .unknownFormat: "store-format-unknown"
        case .pinNotAtRemote: "pin-not-at-remote"
        case .incomplete: "remote-incomplete"
        case .journalMoving: "remote-journal-moving"
        }
    }

    package var exit: ExitCode {
        switch self {
        case .refused, .notAStore, .usedOtherwise, .unknownFormat, .pinNotAtRemote: .configuration
        case .incomplete: .inputOutput
        case .journalMoving: .busy
        }
    }

    package var message: String {
        switch self {
        case .refused(let remote, let reference, let reason):
            "\(remote): \(reference) was refused: \(reason)."
        case .notAStore(let remote, let fact): "\(remote): no reference store is there: \(fact)."
        case .usedOtherwise(let remote, let reference):
            "\(remote): no reference store is there: it holds \(reference), so it is used for "
                + "something else."
        case .unknownFormat(let remote, let format):
            "\(remote): the reference store has the format \(format), not \(ReferenceStore.format)."
        case .pinNotAtRemote(let path, let object, let line, let remote):
            "snapfarm.refs:\(line): \"\(path)\" is \(object), "
                + "which the store \(remote) does not have."
        case .incomplete(let what, let object, let remote):
            "\(what): the store \(remote) did not send the object \(object)."
        case .journalMoving(let remote): "\(remote): others keep writing the journal."
        }
    }

    package var remedy: String {
        switch self {
        case .refused: "Ask for write access, or for the rule on the host to be lifted."
        case .notAStore(let remote, _):
            """
            Make it one with `snapfarm refs init --remote \(remote)`, then run the same command \
            again.
            """
        case .usedOtherwise: "Name an empty repository: `references.store`, or --remote URL."
        case .unknownFormat: "Use the newer snapfarm that made the store."
        case .pinNotAtRemote:
            """
            Push the set from where it was recorded (`snapfarm refs push`). If it was pruned, move \
            the pin to a kept set: `snapfarm refs log`.
            """
        case .incomplete: "Check the store on its host with `git fsck`, then fetch again."
        case .journalMoving: "The set itself is pushed. Run the same command again for the journal."
        }
    }
}

extension RemoteStoreError {
    /// Whether the remote answered but lacks an object of a pin.
    package var isAboutPin: Bool {
        switch self {
        case .pinNotAtRemote, .incomplete: true
        default: false
        }
    }
}
