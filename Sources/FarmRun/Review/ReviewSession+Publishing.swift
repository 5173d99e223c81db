// Where an approval's references go: the set to everybody who may read the pin, then the pin into the
// work tree, into a patch, or into a commit of a branch. Nothing else of the work tree changes.
import FarmCore
import FarmReferences
import FarmReview
import Foundation

/// Where an approval puts the new pin.
package enum PinTarget: Hashable, Sendable {
    case workTree
    /// Into the answer, as a patch.
    case patch
    /// Into a commit of a branch of the main repository; `repository` is a URL, nil for `origin`.
    case branch(String, repository: String?)
    /// Nowhere: the store's branch `proposals/<pull request>` shows the set, and nobody has decided.
    case proposal(Int)

    /// What an approval decides about its pictures; nil for nothing.
    var decision: Decision.Kind? {
        switch self {
        case .workTree, .branch: .published
        case .patch: .accepted
        case .proposal: nil
        }
    }
}

extension ReviewSession {
    /// Makes a new set available, then puts its pin where the request says.
    func publish(
        _ recorded: RecordedSet,
        as note: JournalNote,
        in document: inout ApprovalDocument,
        now: Date,
        before: (PublishStep) -> Void = { _ in }
    ) throws {
        if case .proposal(let number) = request.target {
            return try propose(recorded.pin, pullRequest: number, in: &document)
        }
        if recorded.pin != pin {
            before(.journal)
            document.pushedTo = try publish(recorded.pin, since: pin, as: note, now: now) ?? ""
        }
        before(.pin)
        switch request.target {
        case .patch: document.patch = try place.patch(from: pin, to: recorded.pin)
        case .workTree where recorded.pin == pin: return
        case .workTree:
            try place.write(recorded.pin, set: recorded.set)
            document.pinMoved = true
            document.stale = place.staleReferences()
            // A submodule's new set is staged already; `git add` would put the old one back.
            document.commit = GitWords.commit(
                place.pinPath,
                "Approve \(document.counts)",
                isStaged: (try? place.gitlink()) != nil
            )
        case .branch(let name, _):
            guard let branch else { return }
            // Also where the branch has the pin already: it says which commit that is.
            let commit = try branch.commit(
                recorded.pin,
                note: PinCommitNote(
                    approving: document.counts,
                    as: note,
                    author: reviewer(now: now).name,
                    now: now
                )
            ) { moved in
                try place.join(recorded.pin, over: pin, with: moved, of: name) { merged, theirs in
                    _ = try publish(merged, since: theirs, as: note, now: now)
                }
            }
            document.branch = name
            document.branchCommit = commit.commit.hex
        case .proposal: return
        }
    }

    /// Shows a set beside the pull request's comment; the journal does not name it.
    private func propose(
        _ pin: ReferencePin,
        pullRequest: Int,
        in document: inout ApprovalDocument
    ) throws {
        guard let far = try place.remote() else {
            throw RefsError.noRemote(store: place.storePath)
        }
        let pushed = try far.push(pin)
        try far.propose(pushed.set, pullRequest: pullRequest)
        document.pushedTo = "\(far.location)"
    }

    private func publish(
        _ pin: ReferencePin,
        since base: ReferencePin,
        as note: JournalNote,
        now: Date
    ) throws -> String? {
        try place.publish(
            pin,
            since: base,
            note: note,
            cells: review.project.cells,
            in: store,
            now: now
        )
    }
}

extension PinCommitNote {
    /// What the commit of an approval says; `what` is `1 changed, 2 new`.
    init(approving what: String, as note: JournalNote, author: String, now: Date) {
        let trailers = [("Snapfarm-Run", note.run), ("Snapfarm-Reason", note.reason)]
            .compactMap { name, value in
                value.flatMap { $0.isEmpty ? nil : "\(name): \(Self.oneLine($0))" }
            }
        self.init(
            author: author,
            message: (["Approve \(what)", ""] + trailers).joined(separator: "\n") + "\n",
            seconds: Int64(now.timeIntervalSince1970)
        )
    }

    /// Words of a person must not begin a line of their own.
    private static func oneLine(_ text: String) -> String {
        let scalars = text.unicodeScalars.map {
            $0.properties.generalCategory == .control ? " " : $0
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
