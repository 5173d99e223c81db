// The errors of merging pins, each with a remedy.
import FarmCore
import FarmGit

/// An error of merging pins.
package enum MergeError: ExplainedError, Equatable {
    /// A choice matches no picture in conflict.
    case choiceMatchesNothing(pattern: String)
    /// A suite that must be merged picture by picture is not in the store, or lacks pictures there.
    case suiteMissing(SubtreePath, side: MergeSide, object: ObjectID, store: String)
    /// The main repository could not be opened or read.
    case mainRepository(path: String, reason: String)
    case unknownRevision(String, repository: String)
    /// A revision has no pin at the path.
    case pinMissing(path: String, revision: String)
    /// The entry is neither a file nor a submodule.
    case notAPin(path: String, revision: String)
    /// A file of the merge driver could not be read or written.
    case file(path: String, reason: String)

    package var code: String {
        switch self {
        case .choiceMatchesNothing: "merge-choice-unused"
        case .suiteMissing: "merge-suite-missing"
        case .mainRepository: "main-repository-unreadable"
        case .unknownRevision: "revision-unknown"
        case .pinMissing: "pin-missing"
        case .notAPin: "pin-invalid"
        case .file: "merge-file-failed"
        }
    }

    package var exit: ExitCode {
        switch self {
        case .choiceMatchesNothing: .usage
        case .suiteMissing, .pinMissing, .notAPin: .configuration
        case .unknownRevision, .mainRepository: .invalidInput
        case .file: .inputOutput
        }
    }

    package var message: String {
        switch self {
        case .choiceMatchesNothing(let pattern):
            "\(pattern.debugDescription) covers no picture that both sides changed."
        case .suiteMissing(let path, let side, let object, let store):
            "\"\(path)\" of \(side.rawValue) is \(object), and not all of it is in the store "
                + "\(store)."
        case .mainRepository(let path, let reason): "\(path): \(reason)."
        case .unknownRevision(let revision, let repository):
            "\(repository): there is no commit \(revision.debugDescription)."
        case .pinMissing(let path, let revision): "\(revision) has no pin \"\(path)\"."
        case .notAPin(let path, let revision):
            "\"\(path)\" of \(revision) is neither a file nor a submodule."
        case .file(let path, let reason): "\(path): \(reason)."
        }
    }

    package var remedy: String {
        switch self {
        case .choiceMatchesNothing:
            "Run `snapfarm refs merge` without choices to list the pictures in conflict."
        case .suiteMissing:
            """
            Push its set from where it was recorded (`snapfarm refs push`), then run \
            `snapfarm refs merge`, which fetches it.
            """
        case .mainRepository: "Run the command inside the work tree of the project."
        case .unknownRevision:
            "Name a branch, a tag or a commit; `git fetch` may have to come first."
        case .pinMissing: "Check `references.pin` in the pipeline file, or name another revision."
        case .notAPin: "Restore the pin from a commit that has it."
        case .file: "Check the disk and the permissions, then run `git merge` again."
        }
    }
}
