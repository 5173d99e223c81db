// Publishes accepted pictures at a coordinator. The pin is committed to the run's branch if the
// configuration names the repository; otherwise the page shows it as a patch.
import FarmArtifacts
import FarmCore
import FarmGit
import FarmReferences
import FarmReports
import FarmReview
import FarmServer
import Foundation

extension ServedRunPage {
    func publish(
        _ accepted: Set<SnapshotID>,
        by reviewer: Reviewer,
        _ book: DecisionBook
    ) async throws -> PublishedPin {
        let run = try await run()
        // The next set must also keep the pictures that this page published before.
        let decided = Self.decided(run, in: book)
        let wanted = Set(decided.map(\.snapshot))
        let alternates = Set(decided.filter(book.alternates.contains).map(\.snapshot))
        guard let place = desks.stores.place(of: plan.pipeline), let judged = run.judged else {
            throw PublishingError.noStore(plan.pipeline)
        }
        let (pin, decisions) = try await desks.coordinator.withStore(of: plan) { _ in
            let references = try OpenReferences(place, at: plan.pin)
            let review = try desks.review(judged, of: plan, references.store)
            let publisher = Publisher(
                review: review.narrowed(to: wanted),
                references: references,
                reviewer: reviewer,
                before: desks.before
            )
            let approval = try publisher.approval.plan(
                ApprovalOptions(removesMissing: true, alternates: alternates)
            )
            let pin = try publisher.publish(approval) { recorded, _ in
                try commit(recorded, approval, with: publisher)
            }
            var note = reviewer
            note.reason = PublicationNote(pin).map(\.text) ?? ""
            let taken = Set((approval.choice.taken + approval.choice.removed).map(\.id))
            let pictures = review.narrowed(to: accepted.intersection(taken)).selected
            return (pin, review.decisions(.published, pictures, by: note))
        }
        desks.before(.decisions)
        try await add(decisions)
        return pin
    }

    /// Commits the pin to the run's branch, and returns it; returns an open pin if a person must
    /// commit it.
    private func commit(
        _ recorded: RecordedSet,
        _ approval: ApprovalPlan,
        with publisher: Publisher
    ) throws -> PublishedPin {
        guard recorded.pin != plan.pin else { return .open(set: recorded.set, reason: .pinned) }
        guard let repository = desks.repositories[plan.pipeline] else {
            return .open(set: recorded.set, reason: nil)
        }
        do {
            let facts = publisher.review.run.manifest.run
            let branch = try repository.open(facts)
            let counts = ApprovalDocument(approval, run: facts.id, pinFile: "", isDryRun: false)
                .counts
            let made = try publisher.commit(recorded.pin, to: branch, approving: counts)
            return .committed(
                set: made.pin.setID,
                branch: branch.branch.name,
                repository: "\(repository.location)",
                commit: made.commit
            )
        } catch let error as NoBranchOfRun {
            return .open(set: recorded.set, reason: error)
        } catch let error as any ExplainedError {
            throw PublishingError.notCommitted(recorded.set, cause: error)
        }
    }

    /// Returns the pictures of a run that people accepted, published or not.
    private static func decided(_ run: RunPageContent, in book: DecisionBook) -> [Decision.Subject]
    {
        run.page.summary.snapshots.compactMap(\.subject).filter { subject in
            [.accepted, .alternate, .published].contains(book.standing[subject]?.kind)
        }
    }

    /// Returns the newest earlier publication of the run's pictures, or `nil` if none is published.
    func published(in book: DecisionBook) async throws -> PublishedPin? {
        let standing = Self.decided(try await run(), in: book).compactMap { book.standing[$0] }
        guard let newest = standing.max(by: { $0.when < $1.when }) else { return nil }
        let note = PublicationNote(newest.reason)
        return .before(who: newest.who, set: note?.set, commit: note?.commit)
    }

    func pinToCommit() async throws -> PagePin? {
        let standing = try await decided().book.standing.values
        let published = standing.lazy.filter { $0.kind == .published && $0.run == id.text }
        guard let newest = published.max(by: { $0.when < $1.when }),
            let note = PublicationNote(newest.reason), note.commit == nil
        else { return nil }
        return PagePin(
            command: "snapfarm refs pin move \(note.set.hex)",
            // If the set is gone, the page still shows the command.
            patch: (try? await desks.patch(to: note.set, of: plan)) ?? ""
        )
    }
}

/// The facts of a publication that are stored with its decision.
struct PublicationNote: Hashable {
    let set: ObjectID
    /// The commit on the run's branch, or `nil` if a person commits the pin.
    let commit: ObjectID?

    /// Creates the note of a publication, or returns `nil` for a pin that was not published now.
    init?(_ pin: PublishedPin) {
        switch pin {
        case .committed(let set, _, _, let commit): (self.set, self.commit) = (set, commit)
        case .open(let set, _): (self.set, commit) = (set, nil)
        case .same, .moved, .before: return nil
        }
    }

    /// Parses a decision's text, or returns `nil` if the text is no such note.
    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.first == "set", words.count == 2 || words.count == 4 && words[2] == "commit",
            let set = ObjectID(String(words[1]))
        else { return nil }
        self.set = set
        commit = words.count == 4 ? ObjectID(String(words[3])) : nil
    }

    var text: String { "set \(set.hex)" + (commit.map { " commit \($0.hex)" } ?? "") }
}

/// The errors of publishing a run.
enum PublishingError: ExplainedError {
    case noStore(String)
    /// The set was published, but the commit that should name it failed.
    case notCommitted(ObjectID, cause: any ExplainedError)

    var code: String {
        switch self {
        case .noStore: "store-unknown"
        case .notCommitted(_, let cause): cause.code
        }
    }
    var message: String {
        switch self {
        case .noStore(let pipeline):
            "this coordinator has no reference store for the pipeline \(pipeline)."
        case .notCommitted(_, let cause): cause.message
        }
    }
    var remedy: String {
        switch self {
        case .noStore: "Add it to `stores:` of the coordinator's configuration."
        case .notCommitted(let set, let cause as PinBranchError):
            if case .conflict = cause {
                "Nothing was committed. Run the tests on the newest commit, and decide there."
            } else {
                Self.byHand(set)
            }
        case .notCommitted(let set, _): Self.byHand(set)
        }
    }
    var exit: ExitCode {
        switch self {
        case .noStore: .configuration
        case .notCommitted(_, let cause): cause.exit
        }
    }

    private static func byHand(_ set: ObjectID) -> String {
        "Nothing was committed. Publish again when that is mended, or pin the set by hand: "
            + "snapfarm refs pin move \(set.hex)"
    }
}
