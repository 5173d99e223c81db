// Publishes accepted pictures, the same way for `approve`, the page on this machine, and a coordinator's
// page: set, journal, pin, in this order. Each step can be repeated, so the same command or button mends a
// publication that was cut off. The caller says where the pin goes, and keeps the decisions after that.
import FarmCore
import FarmReferences
import FarmReview
import Foundation

/// The next change of a publication.
package enum PublishStep: String, Sendable, CaseIterable {
    /// Pictures, trees and the set's commit.
    case set
    case journal
    case pin
    /// The published pictures are noted as published.
    case decisions
}

/// The place of an approval's new pin.
package enum PinTarget: Hashable, Sendable {
    case workTree
    /// Into the answer, as a patch.
    case patch
    /// Into a commit of a branch of the main repository; `repository` is a URL, nil for `origin`.
    case branch(String, repository: String?)
    /// Nowhere: the store's branch `proposals/<pull request>` shows the set; nothing is decided.
    case proposal(Int)

    /// The decision of an approval about its pictures; nil for none.
    var decision: Decision.Kind? {
        switch self {
        case .workTree, .branch: .published
        case .patch: .accepted
        case .proposal: nil
        }
    }
}

/// The references that the next set is made over.
struct OpenReferences {
    let place: ReferencePlace
    let pin: ReferencePin
    /// Has all of the pin: the next set keeps what it does not replace.
    let store: ReferenceStore
    /// The branch to commit to; nil where the pin goes elsewhere, or the branch is opened later.
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
    /// Called before each step.
    let before: (PublishStep) -> Void

    var approval: Approval { Approval(of: review, over: references) }
    private var note: JournalNote { approval.note(by: reviewer) }
    private var now: Date { Date(timeIntervalSince1970: Double(reviewer.now) / 1000) }

    /// Makes the set of a plan available to all readers of the pin; `put` then places the pin.
    ///
    /// `put` also gets the host of the store, which is nil where the set was not pushed.
    func publish<Placed>(
        _ plan: ApprovalPlan,
        put: (RecordedSet, _ host: String?) throws -> Placed
    ) throws -> Placed {
        try references.store.holdingOffPrune {
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

    /// Shows the set of a plan beside the pull request's comment; the journal does not name it.
    func propose(
        _ plan: ApprovalPlan,
        pullRequest: Int
    ) throws -> (recorded: RecordedSet, host: String) {
        try references.store.holdingOffPrune {
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

    /// Commits a pin to a branch, whose own pin it is joined with where that has moved.
    ///
    /// `counts` is `1 changed, 2 new`. Also called where the branch has the pin: it returns that commit.
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

    /// The pin of a branch that has moved, with what was approved; the merged set is shown, too.
    ///
    /// - Throws: `PinBranchError.conflict` where both sides changed the same pictures.
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
    /// The message of an approval's commit; `what` is `1 changed, 2 new`.
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
