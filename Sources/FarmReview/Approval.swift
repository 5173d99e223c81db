// `approve`: the changed, new and moved captures of a complete run become the next reference set.
// First a plan, which only reads; then the set, which is unused until a pin names it. The caller
// writes the pin.
import FarmCore
import FarmImaging
import FarmReferences
import Foundation

/// The plan of an approval; nothing has been written yet.
package struct ApprovalPlan: Sendable {
    package var choice: ApprovalChoice
    /// The accepted pictures, as they will be recorded.
    package var pictures: [SnapshotID: RecordedPicture]
    /// The ids of accepted pictures that are references already.
    package var present: Set<SnapshotID>
    /// The recordings, one for each cell; empty if there is nothing to do.
    package var recordings: [CellRecording]
}

/// An approval of a run over the references of a pin.
package struct Approval: Sendable {
    private let review: Review
    /// The store, which must have all objects of `pin`.
    private let store: ReferenceStore
    /// The pin of the present references, which may differ from the run's.
    private let pin: ReferencePin

    package init(of review: Review, over pin: ReferencePin, in store: ReferenceStore) {
        self.review = review
        self.pin = pin
        self.store = store
    }

    private var reencoding: Reencoding {
        Reencoding(suites: review.project.reencode) { try PNGRecoder.smaller($0) }
    }

    /// Decides about the selected pictures; throws a refusal if anything about the run is in doubt.
    ///
    /// `rejected` are the pictures that an earlier review rejected.
    package func plan(
        _ options: ApprovalOptions = ApprovalOptions(),
        rejected: Set<SnapshotID> = []
    ) throws -> ApprovalPlan {
        try checkRun()
        var choice = ApprovalRules.choose(review.selected, options, rejected: rejected)
        guard !choice.cells.isEmpty || choice.left.isEmpty else {
            throw ReviewRefusal.neverApproved(choice.left)
        }
        var records: [CellID: [String: SuiteRecord]] = [:]
        var references: [SnapshotID: Reference] = [:]
        for cell in choice.cells {
            try checkPin(cell)
            records[cell] = try store.suiteRecords(pin, cell: cell)
            references.merge(try present(pin, cell)) { _, new in new }
        }
        try leaveAlternates(&choice, beside: references)
        var plan = ApprovalPlan(choice: choice, pictures: [:], present: [], recordings: [])
        for picture in choice.taken {
            let recorded = try recorded(picture.id)
            plan.pictures[picture.id] = recorded
            let present = references[picture.id]
            if present?.objectID == recorded.objectID
                || options.alternates.contains(picture.id)
                    && present?.alternates.contains(recorded.objectID) == true
            {
                plan.present.insert(picture.id)
            }
        }
        plan.recordings = ApprovalRules.recordings(
            of: choice,
            pictures: plan.pictures,
            records: records,
            renderers: review.run.manifest.renderers,
            pipeline: review.run.manifest.run.pipeline
        )
        return plan
    }

    /// Leaves out the pictures that cannot become alternates of the present references.
    private func leaveAlternates(
        _ choice: inout ApprovalChoice,
        beside references: [SnapshotID: Reference]
    ) throws {
        for picture in choice.alternates {
            let present = references[picture.id]
            let made = try made(picture.id)
            let others = present?.alternates.filter { $0 != made }.count ?? 0
            let bar: ApprovalBar? =
                if review.project.frameworkJobs.contains(picture.job) {
                    .judgedByFramework
                } else if present == nil {
                    .withoutReference
                } else if others >= FarmLimits.alternatesPerPictureMax {
                    .enoughAlternates
                } else {
                    nil
                }
            guard let bar else { continue }
            choice.leave(alternate: picture, bar)
        }
        guard !choice.cells.isEmpty || choice.left.isEmpty else {
            throw ReviewRefusal.neverApproved(choice.left)
        }
    }

    /// Writes the set of the plan; returns it with its pin.
    ///
    /// Each step can be repeated: the same plan makes the same set. The caller must hold off prunes
    /// until a prune can find the pin.
    /// - Throws: `ReviewRefusal` if pictures are no longer those of the plan, and
    ///   `ReferenceStoreError`.
    package func record(_ plan: ApprovalPlan) throws -> RecordedSet {
        let ids = Dictionary(plan.pictures.map { ($0.value.objectID, $0.key) }) { one, _ in one }
        let owners = Dictionary(
            plan.pictures.flatMap { id, picture in
                picture.companions.map { ($1.objectID, (id: id, kind: $0)) }
            }
        ) { one, _ in one }
        return try store.record(base: pin, recordings: plan.recordings) { picture in
            // The store calls this only for files that it lacks, and checks the bytes.
            if let (id, kind) = owners[picture.objectID], let entry = review.pictures[id]?.entry,
                let bytes = try review.run.companions(of: entry)[kind]
            {
                return bytes
            }
            guard let id = ids[picture.objectID], let entry = review.pictures[id]?.entry else {
                return try store.read(picture.objectID)
            }
            return try reencoding.bytes(of: id, review.run.bytes(of: id, entry))
        }
    }

    /// Returns the text about the approval for the store's journal.
    package func note(by reviewer: Reviewer) -> JournalNote {
        let facts = review.run.manifest.run
        let isNumber = facts.pullRequest.utf8.allSatisfy { (48...57).contains($0) }
        let change = isNumber ? "#\(facts.pullRequest)" : facts.pullRequest
        return JournalNote(
            change: facts.pullRequest.isEmpty ? nil : change,
            mainCommit: facts.commit,
            run: facts.id,
            recorder: reviewer.name,
            reason: reviewer.reason
        )
    }

    /// Whether a person has something left to decide about the run.
    ///
    /// Rejected pictures are decided, and so are those whose references have changed since the run.
    /// For the newest run both still count as open: a rejection may be withdrawn, and an approval
    /// that was cut off after it wrote its pin is repeated.
    package func isOpen(in book: DecisionBook, isNewest: Bool) throws -> Bool {
        let base = review.run.manifest.pin
        var changed: [CellID: Set<SnapshotID>] = [:]
        for (id, found) in review.pictures where ApprovalRules.isReviewable(found.picture) {
            let kind = book.standing[found.picture.subject]?.kind
            let cell = try changed[id.cell] ?? movedOn(since: base, id.cell)
            changed[id.cell] = cell
            if cell.contains(id) {
                if isNewest, kind != .published { return true }
            } else if isNewest || kind != .rejected {
                return true
            }
        }
        return false
    }

    // MARK: refusals

    private func checkRun() throws {
        let manifest = review.run.manifest
        guard manifest.run.mode == .verify else {
            throw ReviewRefusal.notVerify(run: manifest.run.id)
        }
        if let place = manifest.run.shard {
            throw ReviewRefusal.shard(run: manifest.run.id, place: String(place.prefix(20)))
        }
        // Checks the whole run, not only the selected cells: two tests that make one picture, or a
        // missing reference, are known only when all tests have ended.
        let open = manifest.cells.filter { !$0.complete }.map(\.id)
        guard [.passed, .failed].contains(manifest.state), open.isEmpty, !manifest.cells.isEmpty
        else {
            let run = manifest.run.id
            let isJudgement = (try? review.run.summary())?.judgedRun != nil
            throw isJudgement
                ? ReviewRefusal.undecidedJudgement(run: run, cells: open)
                : ReviewRefusal.incomplete(run: run, state: manifest.state, cells: open)
        }
    }

    /// Checks that the references are still those of the run, or that only the run's own approvals
    /// changed them.
    ///
    /// Used by pages that people look at before they decide.
    ///
    /// - Throws: `ReviewRefusal`, as ``plan(_:rejected:)`` does.
    package func checkPin() throws {
        try checkRun()
        let pictures = review.pictures.values.map(\.picture).filter(ApprovalRules.isReviewable)
        for cell in Set(pictures.map(\.id.cell)).sorted() { try checkPin(cell) }
    }

    /// Checks that a cell still has the references that the reviewer saw in the run, or that only
    /// the run's own approvals changed them.
    private func checkPin(_ cell: CellID) throws {
        let manifest = review.run.manifest
        let base = manifest.pin
        guard base.folders(of: cell) != pin.folders(of: cell) else { return }
        func refusal(_ names: [SnapshotID]) -> ReviewRefusal {
            .otherPin(
                run: manifest.run.id,
                cell: cell,
                names: names,
                sets: PinnedSets(run: base.setID, now: pin.setID)
            )
        }
        guard let old = try former(base, cell) else { throw refusal([]) }
        let missing = review.pictures.values.map(\.picture).filter { $0.verdict == .missing }
        let now = try present(pin, cell)
        let strangers = try ApprovalRules.strangers(
            base: old.mapValues(\.objectID),
            now: now.mapValues(\.objectID),
            alternates: (old.mapValues(\.alternates), now.mapValues(\.alternates)),
            missing: Set(missing.map(\.id)),
            made: made
        )
        guard strangers.isEmpty else { throw refusal(strangers) }
    }

    /// Returns the object that the run's picture becomes as a reference, or `nil` if it cannot be
    /// approved.
    package func made(_ id: SnapshotID) throws -> ObjectID? {
        guard let found = review.pictures[id], found.picture.capture != nil,
            ApprovalRules.isReviewable(found.picture)
        else { return nil }
        let capture = try review.run.bytes(of: id, found.entry)
        return ObjectID(ofBlob: try reencoding.bytes(of: id, capture))
    }

    /// Returns the pictures of a cell whose references differ from those of `base`, or none if the
    /// references of `base` are gone.
    private func movedOn(since base: ReferencePin, _ cell: CellID) throws -> Set<SnapshotID> {
        guard base.folders(of: cell) != pin.folders(of: cell), let old = try former(base, cell)
        else { return [] }
        let now = try present(pin, cell)
        return Set(old.keys).union(now.keys).filter { old[$0] != now[$0] }
    }

    private func present(_ pin: ReferencePin, _ cell: CellID) throws -> [SnapshotID: Reference] {
        try store.references(pin, of: [cell])
    }

    /// Returns the references of an earlier pin, or `nil` if they are gone.
    private func former(_ pin: ReferencePin, _ cell: CellID) throws -> [SnapshotID: Reference]? {
        try store.formerReferences(pin, cell: cell).map { references in
            Dictionary(references.map { ($0.id, $0) }) { first, _ in first }
        }
    }

    private func recorded(_ id: SnapshotID) throws -> RecordedPicture {
        guard let entry = review.pictures[id]?.entry else {
            throw ReviewRefusal.pictureAbsent(id, origin: review.run.origin)
        }
        let bytes = try review.run.bytes(of: id, entry)
        do {
            if let rule = TextRule(for: id, ignored: []) {
                _ = try TextForm(bytes, rule)
            } else {
                try PNGDecoder.check(bytes)
            }
        } catch let error as any ExplainedError {
            throw ReviewRefusal.notAPicture(id, reason: error.message)
        }
        return RecordedPicture(
            objectID: ObjectID(ofBlob: try reencoding.bytes(of: id, bytes)),
            companions: try review.run.companions(of: entry).mapValues {
                RecordedFile(objectID: ObjectID(ofBlob: $0))
            }
        )
    }
}

extension ReferenceStore {
    /// Returns the references of these cells by name.
    package func references(
        _ pin: ReferencePin,
        of cells: Set<CellID>
    ) throws -> [SnapshotID: Reference] {
        let all = try cells.flatMap { try references(pin, cell: $0) }
        return Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
    }
}
