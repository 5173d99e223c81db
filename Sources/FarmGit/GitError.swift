// The errors of a repository, each with a remedy. The codes say `store`, because snapfarm only
// writes to the repositories of reference stores.
import FarmCore
import FarmFiles
import Foundation

/// An error of reading or writing a Git repository.
package enum GitError: ExplainedError, Equatable {
    /// Nothing is at the path, or something that is not a repository.
    case notARepository(path: String)
    /// A repository that libgit2 refuses for an extension (`extensions.*` of its settings).
    case unsupported(path: String, extension: String)
    /// An object that another object or a pin names is not in the repository.
    case objectMissing(ObjectID, what: String, repository: String)
    /// An object is of another kind than expected, or breaks a limit.
    case malformed(what: String, fact: String)
    /// A name that is not allowed in a tree.
    case nameRefused(String, reason: String)
    /// A file of the repository is damaged.
    case damaged(file: String, fact: String)
    /// A lock of Git that a living process holds.
    case locked(file: String)
    /// A call of libgit2 failed.
    case git(doing: String, reason: String)
    /// A call of the operating system failed.
    case system(doing: String, reason: String)

    package var code: String {
        switch self {
        case .notARepository: "repository-not-found"
        case .unsupported: "repository-unsupported"
        case .objectMissing: "store-object-missing"
        case .malformed: "store-malformed"
        case .nameRefused: "name-refused"
        case .damaged: "store-damaged"
        case .locked: "store-busy"
        case .git: "store-git-failed"
        case .system: "store-io-failed"
        }
    }

    package var exit: ExitCode {
        switch self {
        case .notARepository, .unsupported, .objectMissing, .malformed, .damaged: .configuration
        case .nameRefused: .invalidInput
        case .locked: .busy
        case .git, .system: .inputOutput
        }
    }

    package var message: String {
        switch self {
        case .notARepository(let path): "\(path): no Git repository is here."
        case .unsupported(let path, let name):
            "\(path): the Git repository here has the extension \(name), which libgit2 "
                + "\(GitLibrary.version) does not read."
        case .objectMissing(let object, let what, let repository):
            "\(what): the object \(object) is not in the store \(repository)."
        case .malformed(let what, let fact): "\(what): \(fact)."
        case .nameRefused(let name, let reason): "Git refuses the path \"\(name)\": \(reason)."
        case .damaged(let file, let fact): "\(file): \(fact)."
        case .locked(let file): "\(file): a process that still lives holds this lock."
        case .git(let doing, let reason): "\(doing): \(reason)."
        case .system(let doing, let reason): "\(doing): \(reason)."
        }
    }

    package var remedy: String {
        switch self {
        case .notARepository: "Name the folder of a Git repository."
        case .unsupported(_, Self.sparseIndex):
            "Run `git sparse-checkout reapply --no-sparse-index`, then the same command again."
        case .unsupported:
            "Work in a clone without it; `git config --get-regexp '^extensions'` lists what a clone "
                + "has."
        case .objectMissing(_, _, let repository):
            "Check the store (git -C \(repository) fsck), then run the same command again."
        case .malformed: "Check the store with `git fsck`; restore it from a copy if it is damaged."
        case .nameRefused: "Rename the suite or the snapshot in the test."
        case .damaged: "Run `git fsck --full` in the store; restore it from another copy."
        case .locked: "Wait for that process, or end it; then run the same command again."
        case .git, .system: "Check the disk and the permissions of the store, then try again."
        }
    }

    /// The word in errors for an index that has one entry for a whole folder.
    static let sparseIndex = "sparse index"

    /// The cause without the operation, for errors that themselves name the operation.
    package var reason: String {
        switch self {
        case .git(_, let reason), .system(_, let reason): reason
        default: String(message.dropLast())
        }
    }

    /// The error of the last system call.
    package static func system(_ doing: String) -> GitError {
        .system(doing: doing, reason: String(cString: strerror(errno)))
    }

    /// The error of a failed system call; `doing` names the operation.
    init(_ failure: FileFailure, _ doing: String? = nil) {
        self = .system(
            doing: doing ?? "\(failure.operation) \(failure.path)",
            reason: failure.reason
        )
    }
}
