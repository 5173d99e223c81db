// The commit of a pin: made over the branch as it was read, pushed without force, and made again on
// top where somebody else was faster.
import FarmCore
import FarmGit
import Foundation

/// A commit of a branch whose pin is the wanted one.
package struct PinCommit: Hashable, Sendable {
    package let commit: ObjectID
    /// What it was made on; nil where the branch had the pin already.
    package let parent: ObjectID?
    /// Not the wanted one where the branch's had moved and both were merged.
    package let pin: ReferencePin
}

/// What a commit says of itself.
package struct PinCommitNote: Sendable {
    /// `Name <mail>`, or a name.
    package var author: String
    package var message: String
    /// Since 1970.
    package var seconds: Int64

    package init(author: String, message: String, seconds: Int64) {
        self.author = author
        self.message = message
        self.seconds = seconds
    }
}

extension PinBranch {
    /// Commits a pin to the branch that was read as `head`, in the form that it has there.
    ///
    /// Where the branch's own pin has moved since, `join` gets it and returns what is committed
    /// instead: it must have merged both, and made the set available. Every call with the same
    /// arguments ends the same, also after one whose answer was lost.
    ///
    /// - Throws: `PinBranchError`, and what `join` throws.
    package func commit(
        _ pin: ReferencePin,
        over head: Head,
        note: PinCommitNote,
        joining join: (PinForm?) throws -> ReferencePin
    ) throws -> PinCommit {
        var (pin, head) = (pin, head)
        var mine: [ObjectID: ObjectID] = [:]
        for attempt in 1...FarmLimits.pinCommitAttemptsMax {
            let form = Self.form(of: pin, like: head.pin)
            guard head.pin != form else {
                return PinCommit(commit: head.commit, parent: mine[head.commit], pin: pin)
            }
            let commit = try write(form, over: head, note)
            mine[commit] = head.commit
            if try push(commit) {
                return PinCommit(commit: commit, parent: head.commit, pin: pin)
            }
            // Each waits a little longer, so that not all of them meet again.
            git.access.sleep(.milliseconds(50 * attempt))
            let newest = try read()
            if newest.pin != head.pin { pin = try join(newest.pin) }
            head = newest
        }
        throw PinBranchError.moving(name, repository: "\(location)")
    }

    private static func form(of pin: ReferencePin, like old: PinForm?) -> PinForm {
        if case .gitlink = old { return .gitlink(pin.setID) }
        return .text(pin)
    }

    private func write(_ form: PinForm, over head: Head, _ note: PinCommitNote) throws -> ObjectID {
        let repository = try GitRepository(opening: git.folder)
        let entry: (TreeEntry.Kind, ObjectID) =
            switch form {
            case .text(let pin): (.file, try repository.write(blob: Data(pin.text.utf8)))
            case .gitlink(let set): (.submodule, set)
            }
        return try repository.commit(
            tree: try repository.tree(head.tree, with: entry, at: pinPath),
            parents: [head.commit],
            message: note.message,
            by: GitPerson(note.author),
            seconds: note.seconds
        )
    }

    /// Pushes a commit; false where the branch is no longer what it was.
    private func push(_ commit: ObjectID) throws -> Bool {
        let words = [
            "push", "--no-verify", "--no-signed", "--no-follow-tags", "--recurse-submodules=no",
            "--no-thin", GitProgram.remote, "\(commit):\(branch)",
        ]
        return try speaking {
            switch try git.answer(words, doing: "pushing the branch \(name)") {
            case .done: return true
            case .failed(let failure):
                switch PushRefusal(failure.text) {
                case .moved: return false
                case .refused(let reason):
                    throw PinBranchError.refused(
                        name,
                        repository: "\(location)",
                        reason: reason
                    )
                case nil: throw failure.error
                }
            }
        }
    }
}
