// The errors of a prune. A prune fails closed: none of these errors deletes an object, and after
// all but `notUndone` every set is as it was before.
import FarmCore
import FarmGit

/// An error of planning or carrying out a prune.
package enum PruneError: ExplainedError, Equatable {
    /// The main repository lacks history, so pins may be missing.
    case shallow(repository: String)
    /// Only a part of a remote's branches is fetched into the main repository.
    case narrow(repository: String, remote: String)
    case notARepository(path: String)
    /// A Git reference that the request names does not exist.
    case referenceMissing(String, repository: String)
    /// A commit, folder or pin in the history cannot be read.
    case historyMissing(what: String, repository: String, reason: String)
    case pinUnreadable(place: String, reason: String)
    /// None of the commits that were read has a pin.
    case noPins(paths: [String], repository: String)
    /// No pin names a set of the store.
    case noReferences(repository: String, store: String)
    /// A pin names a set or subtree that the store does not have.
    case pinNotInStore(place: String, what: String, object: ObjectID, store: String)
    /// The store is a partial or shallow copy.
    case partialStore(path: String)
    /// An object of a kept set is missing.
    case objectMissing(ObjectID, store: String)
    /// The pins or references have changed since the plan.
    case planOutdated(fact: String)
    case diskFull(path: String, needed: Int, free: Int)
    /// The new pack lacks an object that it must have, or has it damaged.
    case verificationFailed(pack: String, fact: String)
    /// The prune stopped before it deleted an object, but some references could not be restored.
    case notUndone(store: String, cause: String, reason: String, references: [ReferenceEdit])
    /// Something else is at the target path of a rotation.
    case rotationTarget(path: String, fact: String)
    /// A set that the caller wants to keep is not in the store.
    case setMissing(ObjectID, store: String)

    package var code: String {
        switch self {
        case .shallow: "prune-main-shallow"
        case .narrow: "prune-main-narrow"
        case .notARepository: "prune-main-not-found"
        case .referenceMissing: "prune-reference-missing"
        case .historyMissing: "prune-history-missing"
        case .pinUnreadable: "prune-pin-unreadable"
        case .noPins: "prune-no-pins"
        case .noReferences: "prune-no-references"
        case .pinNotInStore: "prune-pin-not-in-store"
        case .partialStore: "prune-store-partial"
        case .objectMissing: "store-object-missing"
        case .planOutdated: "prune-plan-outdated"
        case .diskFull: "disk-full"
        case .verificationFailed: "prune-verification-failed"
        case .notUndone: "prune-not-undone"
        case .rotationTarget: "store-path-taken"
        case .setMissing: "set-not-in-store"
        }
    }

    package var exit: ExitCode {
        switch self {
        case .planOutdated: .busy
        case .diskFull, .verificationFailed, .notUndone: .inputOutput
        default: .configuration
        }
    }
}

extension PruneError {
    package var message: String {
        switch self {
        case .shallow(let repository):
            "\(repository): the clone is shallow, so pins of its older commits are not seen."
        case .narrow(let repository, let remote):
            "\(repository): only some branches of the remote \"\(remote)\" are fetched."
        case .notARepository(let path): "\(path): no Git repository is here."
        case .referenceMissing(let name, let repository):
            "\(repository): \(name) is not here, and what it pins would be lost."
        case .historyMissing(let what, let repository, let reason):
            "\(repository): \(what) cannot be read (\(reason))."
        case .pinUnreadable(let place, let reason): "\(place): the pin cannot be read: \(reason)"
        case .noPins(let paths, let repository):
            "\(repository): no commit has a pin at \(paths.joined(separator: " or "))."
        case .noReferences(let repository, let store):
            "\(repository): no pin names anything in the store \(store)."
        case .pinNotInStore(let place, let what, let object, let store):
            "\(place): the pin names \(what) as \(object), which is not in the store \(store)."
        case .partialStore(let path): "\(path): this copy of the store is not whole."
        case .objectMissing(let object, let store):
            "\(store): the object \(object) of a kept set is missing."
        case .planOutdated(let fact): "the plan is out of date: \(fact)."
        case .diskFull(let path, let needed, let free):
            "\(path): pruning needs \(needed) bytes for the new pack, and \(free) are free."
        case .verificationFailed(let pack, let fact): "\(pack): \(fact). Nothing was deleted."
        case .notUndone(let store, let cause, let reason, let references):
            "\(cause) \(store): \(references.count) references could not be put back: \(reason)."
        case .rotationTarget(let path, let fact): "\(path): \(fact)."
        case .setMissing(let set, let store): "\(store): the set \(set) is not here."
        }
    }

    package var remedy: String {
        switch self {
        case .shallow(let repository): "Run `git -C \(repository) fetch --unshallow`, then again."
        case .narrow(let repository, let remote):
            """
            Run `git -C \(repository) remote set-branches \(remote) '*'` and \
            `git -C \(repository) fetch \(remote)`, then again.
            """
        case .notARepository: "Name the folder of the main repository, whose commits hold the pin."
        case .referenceMissing(let name, _): "Fetch \(name), or do not ask for it."
        case .historyMissing(_, let repository, _):
            "Fetch the whole history (git -C \(repository) fetch --refetch --no-filter), or clone it again."
        case .pinUnreadable: "Correct the pin on that branch, or delete the branch; then again."
        case .noPins: "Name the pin's path in the main repository, and check `references.pin`."
        case .noReferences:
            "Check that this is the project's store; an unused store can be deleted."
        case .pinNotInStore(let place, _, _, let store):
            """
            Fetch the missing sets into \(store). If they are lost, delete \(place), or add \
            --pass-over-history if only old commits pin them.
            """
        case .partialStore: "Prune the whole store, and delete this copy: it is fetched again."
        case .objectMissing(_, let store):
            "Run `git -C \(store) fsck --full`; fetch what is missing from another copy."
        case .planOutdated: "Plan again."
        case .diskFull:
            "Free some space: the old packs are deleted only after the new one is whole."
        case .verificationFailed: "Check the disk, then prune again."
        case .notUndone(let store, _, _, let references):
            """
            Nothing was deleted. Put them back before the store is pruned or collected again:
            \(Self.commands(references, store))
            """
        case .rotationTarget: "Name a path that does not exist yet."
        case .setMissing: "Fetch the set first, or leave it out of the sets to keep."
        }
    }

    /// Git's commands that restore the references, one in each line.
    private static func commands(_ references: [ReferenceEdit], _ store: String) -> String {
        let lines = references.prefix(commandsMax).map { edit in
            let words = edit.object.map { "\(edit.name) \($0)" } ?? "-d \(edit.name)"
            return "git -C \(store) update-ref \(words)"
        }
        let rest = references.count - lines.count
        return (lines + (rest > 0 ? ["and so on for \(rest) more"] : [])).joined(separator: "\n")
    }

    /// The largest number of commands that one message lists.
    private static let commandsMax = 20
}
