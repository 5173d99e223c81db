// One run of a coordinator under review. What is published becomes a set of the coordinator's store,
// over the references that the run compared with: set, journal, decisions, in this order, so that
// a crash is mended by the same button. The pin is moved by whoever has the main repository.
import FarmArtifacts
import FarmCoordinator
import FarmCore
import FarmReferences
import FarmReports
import FarmReview
import FarmServer
import Foundation

struct ServedDesk: ReviewDesk {
    let id: RunID
    let plan: Plan
    let desks: ServedDesks

    func run() async throws -> PageRun { try await desks.run(id, plan).page }

    func file(_ path: String) async throws -> Data? {
        guard let digest = try await desks.run(id, plan).files[path],
            desks.coordinator.blobs.contains(digest)
        else { return nil }
        return try desks.coordinator.blobs.read(digest)
    }

    func thumbnail(ofFile path: String) async throws -> Data? {
        guard let bytes = try await file(path) else { return nil }
        let thumbnails = desks.thumbnails
        return try await desks.coordinator.forPages(of: plan.pipeline) {
            DeskReferences.small(bytes, thumbnails)
        }
    }

    func baseline(of picture: SnapshotID) async throws -> Baseline? {
        let decisions = try await decided().book
        return try await reading { try $0.baseline(of: picture, decisions) }
    }

    func catalogue(ofSet set: String?) async throws -> SetCatalogue? {
        try await reading { try $0.catalogue(ofSet: set) }
    }

    func reference(_ object: ObjectID, as form: PictureForm) async throws -> Data? {
        try await reading { try $0.picture(object, as: form) } ?? nil
    }

    /// Reads the references of the run on a thread that may wait; nil where there is no store.
    private func reading<Value: Sendable>(
        _ read: @escaping @Sendable (DeskReferences) throws -> Value
    ) async throws -> Value? {
        let (plan, desks) = (plan, desks)
        guard let place = desks.stores.place(of: plan.pipeline) else { return nil }
        return try await desks.coordinator.forPages(of: plan.pipeline) {
            guard let store = try desks.stores.store(for: plan) else { return nil }
            return try read(
                DeskReferences(
                    name: plan.pipeline,
                    place: place,
                    store: store,
                    pin: plan.pin,
                    cells: plan.matrix,
                    renames: plan.renames,
                    screens: plan.screens,
                    thumbnails: desks.thumbnails
                )
            )
        }
    }

    func decided() async throws -> DecidedSoFar {
        try await desks.decided(of: plan.pipeline)
    }

    func add(_ decisions: [Decision]) async throws {
        try await desks.coordinator.keep(decisions)
    }

    func cannotPublish() async throws -> String? {
        if let obstacle = try await summary().publishObstacle { return obstacle }
        guard desks.stores.place(of: plan.pipeline) != nil else {
            return "This coordinator has no reference store for the pipeline \(plan.pipeline). "
                + "Add it to `stores:` of its configuration."
        }
        return nil
    }

    func publish(by person: String, now: Int64) async throws -> String {
        let served = try await desks.run(id, plan)
        let summary = served.page.summary
        let book = try await decided().book
        let accepted = DecidedPictures(summary).accepted(in: book, of: summary)
        // What this run's page published before is part of the next set, too.
        let wanted = summary.snapshots.compactMap(\.subject).filter { subject in
            [.accepted, .published].contains(book.standing[subject]?.kind)
        }
        guard !wanted.isEmpty else { return "Nothing is accepted, so nothing was published." }
        guard let place = desks.stores.place(of: plan.pipeline) else {
            throw DeskRefusal.noStore(plan.pipeline)
        }
        let reasons = accepted.compactMap { book.standing[$0.subject]?.reason }
        let reviewer = Reviewer(name: person, reason: LocalDesk.joined(reasons), now: now)
        let ids = Set(wanted.map(\.snapshot))
        let (plan, blobs) = (plan, desks.coordinator.blobs)
        let recorded = try await desks.coordinator.withStore(of: plan) { _ in
            // All of the pin, not only the run's cells: the next set keeps what it does not replace.
            let cells = Set(plan.pin.entries.map(\.path.cell))
            let store = try place.store(for: .verify, pin: plan.pin, cells: cells)
            let reviewed = ReviewedRun(served.judged, of: plan, blobs: blobs) {
                try store.read($0)
            }
            let review = try Review(reviewed, of: ReviewedProject(plan)).narrowed(to: ids)
            let approval = Approval(of: review, over: plan.pin, in: store)
            let wanted = try approval.plan(ApprovalOptions(removesMissing: true))
            return try store.holdingOffPrune {
                let recorded = try approval.record(wanted)
                guard recorded.pin != plan.pin else { return recorded }
                try place.publish(
                    recorded.pin,
                    since: plan.pin,
                    note: approval.note(by: reviewer),
                    cells: review.project.cells,
                    in: store,
                    now: Date(timeIntervalSince1970: Double(now) / 1000)
                )
                return recorded
            }
        }
        try await add(accepted.map { decision(about: $0.subject, by: reviewer) })
        return Self.words(recorded.set, count: accepted.count)
    }

    private func decision(about subject: Decision.Subject, by reviewer: Reviewer) -> Decision {
        Decision(
            kind: .published,
            pipeline: plan.pipeline,
            snapshot: subject.snapshot,
            capture: subject.capture,
            reference: subject.reference,
            reason: "",
            who: reviewer.name,
            when: reviewer.now,
            run: id.text
        )
    }

    private static func words(_ set: ObjectID, count: Int) -> String {
        let what =
            count == 0
            ? "Everything that is accepted was published before"
            : DecisionRules.notice(.published, count: count).dropLast()
        return "\(what): set \(set.hex). Pin it in the main repository: "
            + "snapfarm refs pin move \(set.hex)"
    }
}

/// Why nothing of a run is published.
private enum DeskRefusal: ExplainedError {
    case noStore(String)

    var code: String { "store-unknown" }
    var message: String {
        switch self {
        case .noStore(let pipeline):
            "this coordinator has no reference store for the pipeline \(pipeline)."
        }
    }
    var remedy: String { "Add it to `stores:` of the coordinator's configuration." }
    var exit: ExitCode { .configuration }
}
