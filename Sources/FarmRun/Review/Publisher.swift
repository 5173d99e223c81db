// Publishes accepted pictures, in the same way for `approve`, the page on this machine and a
// coordinator's page: set, journal, pin, in this order. Each step can be repeated, so the same
// command or button completes an interrupted publication. The caller chooses the pin's place, and
// adds the decisions afterwards.
import FarmCore
import FarmReferences
import FarmReview
import Foundation

/// A step of a publication.
package enum PublishStep: String, Sendable, CaseIterable {
    /// The set: its pictures, trees and commit.
    case set
    case journal
    case pin
    /// The decisions: the note that the pictures were published.
    case decisions
}

/// The place of an approval's new pin.
package enum PinTarget: Hashable, Sendable {
    case workTree
    /// The command's output, as a patch.
    case patch
    /// A commit on a branch of the main repository; `repository` is a URL, or `nil` for `origin`.
    case branch(String, repository: String?)
    /// No pin is written and nothing is decided: the store's branch `proposals/<pull request>`
    /// shows the set.
    case proposal(Int)

    /// The kind of decision that an approval makes about its pictures, or `nil` for none.
    var decision: Decision.Kind? {
        switch self {
        case .workTree, .branch: .published
        case .patch: .accepted
        case .proposal: nil
        }
    }
}

/// The references that the next set is based on.
struct OpenReferences {
    let place: ReferencePlace
    let pin: ReferencePin
    /// The store, which has the whole pinned set: the next set keeps what it does not replace.
    let store: ReferenceStore
    /// The branch to commit to, or `nil` if the pin goes elsewhere or the branch is opened later.
    let branch: OpenPinBranch?

    init(_ place: ReferencePlace, at pin: ReferencePin, branch: OpenPinBranch? = nil) throws {
        self.place = place
        self.pin = pin
        self.branch = branch
        let cells = Set(pin.entries.map(\.path.cell))
        store = try place.store(for: .verify, pin: pin, cells: cells)
    }
}

struct Publisher {
    let review: Review
    let references: OpenReferences
    let reviewer: Reviewer
    /// Called before each step of the publication.
    let before: (PublishStep) -> Void

    var approval: Approval { Approval(of: review, over: references) }
    private var note: JournalNote { approval.note(by: reviewer) }
    private var now: Date { Date(timeIntervalSince1970: Double(reviewer.now) / 1000) }

    /// Makes the set of a plan available to all readers of the pin; `put` then places the pin.
    ///
    /// `put` also gets the store's host, or `nil` if the set was not pushed.
    func publish<Placed>(
        _ plan: ApprovalPlan,
        put: (RecordedSet, _ host: String?) throws -> Placed
    ) throws -> Placed {
        try references.store.withPruneBlocked {
            before(.set)
            let recorded = try approval.record(plan)
            var host: String?
            if recorded.pin != references.pin {
                before(.journal)
                host = try show(recorded.pin, since: references.pin)
            }
            before(.pin)
            return try put(recorded, host)
        }
    }

    /// Pushes the set of a plan to the branch that shows the pull request's new pictures; the
    /// journal does not list it.
    func propose(
        _ plan: ApprovalPlan,
        pullRequest: Int
    ) throws -> (recorded: RecordedSet, host: String) {
        try references.store.withPruneBlocked {
            before(.set)
            let recorded = try approval.record(plan)
            guard let far = try references.place.remote() else {
                throw RefsError.noRemote(store: references.place.storePath)
            }
            let pushed = try far.push(recorded.pin)
            try far.propose(pushed.set, pullRequest: pullRequest)
            return (recorded, "\(far.location)")
        }
    }

    /// Commits a pin to a branch; if the branch's own pin has changed, merges both.
    ///
    /// `counts` is a text such as `1 changed, 2 new`. If the branch has the pin already, returns
    /// that commit.
    func commit(
        _ pin: ReferencePin,
        to branch: OpenPinBranch,
        approving counts: String
    ) throws -> PinCommit {
        let isMoved = try references.place.pin(of: branch.head.pin) != references.pin
        return try branch.commit(
            isMoved ? try join(pin, branch.head.pin, of: branch) : pin,
            note: PinCommitNote(approving: counts, as: note, author: reviewer.name, now: now)
        ) { try join(pin, $0, of: branch) }
    }

    /// Merges the approved pin with the changed pin of the branch, and publishes the merged set.
    ///
    /// - Throws: `PinBranchError.conflict` if both sides changed the same pictures.
    private func join(
        _ approved: ReferencePin,
        _ moved: PinForm?,
        of branch: OpenPinBranch
    ) throws -> ReferencePin {
        let theirs = try references.place.pin(of: moved)
        let store = try references.place.store(holding: theirs)
        let merge = try store.merge(base: references.pin, ours: theirs, theirs: approved)
        guard merge.isClean else {
            throw PinBranchError.conflict(branch.branch.name, merge.conflicts.map(\.id))
        }
        guard merge.pin != theirs else { return theirs }
        _ = try store.publish(merge.pin)
        _ = try show(merge.pin, since: theirs)
        return merge.pin
    }

    private func show(_ pin: ReferencePin, since base: ReferencePin) throws -> String? {
        try references.place.publish(
            pin,
            since: base,
            note: note,
            cells: review.project.cells,
            in: references.store,
            now: now
        )
    }
}

extension Approval {
    init(of review: Review, over references: OpenReferences) {
        self.init(of: review, over: references.pin, in: references.store)
    }
}

extension PinCommitNote {
    /// Creates the message of an approval's commit; `what` is a text such as `1 changed, 2 new`.
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

    /// Replaces control characters, so that a person's text cannot start a line of its own.
    private static func oneLine(_ text: String) -> String {
        let scalars = text.unicodeScalars.map {
            $0.properties.generalCategory == .control ? " " : $0
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
