// How a coordinator publishes what people accepted: set, journal, pin, decisions, in this order, so
// that a crash is mended by the same button. The pin is committed to the run's branch where the
// configuration names the repository; else the page shows it as a patch.
import FarmArtifacts
import FarmCore
import FarmGit
import FarmReferences
import FarmReports
import FarmReview
import FarmServer
import Foundation

extension ServedDesk {
    func publish(by person: String, now: Int64) async throws -> Publication {
        try await desks.publishing.hold(plan.pipeline) {
            try await publishInTurn(by: person, now: now)
        }
    }

    private func publishInTurn(by person: String, now: Int64) async throws -> Publication {
        let served = try await desks.run(id, plan)
        let summary = served.page.summary
        let book = try await decided().book
        let accepted = DecidedPictures(summary).accepted(in: book, of: summary)
        // What this run's page published before is part of the next set, too.
        let wanted = summary.snapshots.compactMap(\.subject).filter { subject in
            [.accepted, .published].contains(book.standing[subject]?.kind)
        }
        guard !accepted.isEmpty else {
            return Publication(pictures: 0, removed: 0, pin: Self.published(wanted, in: book))
        }
        guard let place = desks.stores.place(of: plan.pipeline) else {
            throw DeskRefusal.noStore(plan.pipeline)
        }
        let reasons = accepted.compactMap { book.standing[$0.subject]?.reason }
        let publication = ServedPublication(
            plan: plan,
            run: served,
            pictures: Set(wanted.map(\.snapshot)),
            reviewer: Reviewer(name: person, reason: LocalDesk.joined(reasons), now: now),
            place: place,
            repository: desks.repositories[plan.pipeline],
            blobs: desks.coordinator.blobs.waiting,
            before: desks.before
        )
        let published = try await desks.coordinator.withStore(of: plan) { _ in
            try publication.perform()
        }
        desks.before(.decisions)
        let note = published.note.text
        try await add(accepted.map { decision(about: $0.subject, by: person, note, now) })
        return Publication(
            pictures: accepted.count,
            removed: accepted.count { $0.subject.capture == nil },
            pin: published.pin
        )
    }

    /// Returns the newest earlier publication of these pictures; `nil` if none is published.
    private static func published(
        _ pictures: [Decision.Subject],
        in book: DecisionBook
    ) -> PublishedPin? {
        let standing = pictures.compactMap { book.standing[$0] }
        guard let newest = standing.max(by: { $0.when < $1.when }) else { return nil }
        let note = PublicationNote(newest.reason)
        return .before(who: newest.who, set: note?.set, commit: note?.commit)
    }

    private func decision(
        about subject: Decision.Subject,
        by person: String,
        _ note: String,
        _ now: Int64
    ) -> Decision {
        Decision(
            kind: .published,
            pipeline: plan.pipeline,
            snapshot: subject.snapshot,
            capture: subject.capture,
            reference: subject.reference,
            reason: note,
            who: person,
            when: now,
            run: id.text
        )
    }

    func pinToCommit() async throws -> PagePin? {
        let standing = try await decided().book.standing.values
        let published = standing.lazy.filter { $0.kind == .published && $0.run == id.text }
        guard let newest = published.max(by: { $0.when < $1.when }),
            let note = PublicationNote(newest.reason), note.commit == nil
        else { return nil }
        return PagePin(
            command: "snapfarm refs pin move \(note.set.hex)",
            // The command stands where the set is gone since.
            patch: (try? await desks.patch(to: note.set, of: plan)) ?? ""
        )
    }
}

/// What a decision keeps of its publication.
struct PublicationNote: Hashable {
    let set: ObjectID
    /// Of the run's branch; nil where a person commits the pin.
    let commit: ObjectID?

    init(set: ObjectID, commit: ObjectID?) {
        self.set = set
        self.commit = commit
    }

    /// Nil for other words.
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

/// One publication, on a thread that may wait for hosts.
struct ServedPublication: Sendable {
    let plan: Plan
    let run: ServedRun
    let pictures: Set<SnapshotID>
    let reviewer: Reviewer
    let place: ReferencePlace
    let repository: ServedRepository?
    let blobs: any Blobs
    let before: @Sendable (PublishStep) -> Void

    struct Result: Sendable {
        let note: PublicationNote
        let pin: PublishedPin
    }

    private var now: Date { Date(timeIntervalSince1970: Double(reviewer.now) / 1000) }

    func perform() throws -> Result {
        // All of the pin, not only the run's cells: the next set keeps what it does not replace.
        let cells = Set(plan.pin.entries.map(\.path.cell))
        let store = try place.store(for: .verify, pin: plan.pin, cells: cells)
        let reviewed = ReviewedRun(run.judged, of: plan, blobs: blobs) { try store.read($0) }
        let review = try Review(reviewed, of: ReviewedProject(plan)).narrowed(to: pictures)
        let approval = Approval(of: review, over: plan.pin, in: store)
        let wanted = try approval.plan(ApprovalOptions(removesMissing: true))
        let note = approval.note(by: reviewer)
        return try store.holdingOffPrune {
            before(.set)
            let recorded = try approval.record(wanted)
            guard recorded.pin != plan.pin else {
                return Result(
                    note: PublicationNote(set: recorded.set, commit: nil),
                    pin: .open(set: recorded.set, reason: .pinned)
                )
            }
            func publish(_ pin: ReferencePin, since base: ReferencePin) throws {
                try place.publish(
                    pin,
                    since: base,
                    note: note,
                    cells: review.project.cells,
                    in: store,
                    now: now
                )
            }
            before(.journal)
            try publish(recorded.pin, since: plan.pin)
            before(.pin)
            return try commit(recorded, note, publish)
        }
    }

    /// Commits the pin to the run's branch, where there is one.
    private func commit(
        _ recorded: RecordedSet,
        _ note: JournalNote,
        _ publish: (_ pin: ReferencePin, _ since: ReferencePin) throws -> Void
    ) throws -> Result {
        let alone = PublicationNote(set: recorded.set, commit: nil)
        func left(_ reason: NoBranchOfRun?) -> Result {
            Result(note: alone, pin: .open(set: recorded.set, reason: reason))
        }
        guard let repository else { return left(nil) }
        do {
            let branch = try repository.open(run.page.summary.run)
            let name = branch.branch.name
            func join(_ moved: PinForm?) throws -> ReferencePin {
                try place.join(
                    recorded.pin,
                    over: plan.pin,
                    with: moved,
                    of: name,
                    publish: publish
                )
            }
            let isMoved = try place.pin(of: branch.head.pin) != plan.pin
            let pin = try isMoved ? join(branch.head.pin) : recorded.pin
            let made = try branch.commit(
                pin,
                note: PinCommitNote(
                    approving: pictures.count == 1 ? "1 picture" : "\(pictures.count) pictures",
                    as: note,
                    author: reviewer.name,
                    now: now
                ),
                joining: join
            )
            return Result(
                note: PublicationNote(set: made.pin.setID, commit: made.commit),
                pin: .committed(
                    set: made.pin.setID,
                    branch: name,
                    repository: "\(repository.location)",
                    commit: made.commit
                )
            )
        } catch let error as NoBranchOfRun {
            return left(error)
        } catch let error as any ExplainedError {
            throw DeskRefusal.notCommitted(recorded.set, cause: error)
        }
    }
}

/// Why a run was not published.
enum DeskRefusal: ExplainedError {
    case noStore(String)
    /// The set is where everybody gets it, and no pin names it.
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
