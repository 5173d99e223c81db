// Commits a pin to a branch: the commit is made on the branch as it was read and is pushed without
// force. If another process pushed first, the commit is made again on top.
import FarmCore
import FarmGit
import Foundation

/// A commit of a branch, and the pin in it.
package struct PinCommit: Hashable, Sendable {
    package let commit: ObjectID
    /// The parent of a new commit, or `nil` if the branch had the pin already.
    package let parent: ObjectID?
    /// The committed pin.
    ///
    /// It differs from the wanted one if the branch's pin had moved and both were merged.
    package let pin: ReferencePin
}

/// The author, message and time of a commit.
package struct PinCommitNote: Sendable {
    /// The commit's author: `Name <mail>`, or only a name.
    package var author: String
    package var message: String
    /// The commit's time, in seconds since 1970.
    package var seconds: Int64

    package init(author: String, message: String, seconds: Int64) {
        self.author = author
        self.message = message
        self.seconds = seconds
    }
}

extension PinBranch {
    /// Commits a pin to the branch that was read as `head`, in the form that the pin has there.
    ///
    /// If the branch's own pin has moved since, `join` gets it and returns the pin to commit
    /// instead: it must merge both and publish the set. Calls with the same arguments end the same,
    /// even if the answer to an earlier call was lost.
    ///
    /// - Throws: `PinBranchError`, and the errors of `join`.
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
            // The pause grows with each attempt, so that processes do not collide again.
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

    /// Pushes a commit; returns `false` if the branch has moved.
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
