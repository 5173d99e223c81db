// `approve`: changed, new and moved captures of a complete run become the next reference set, and
// the pin in the work tree names it. A plan first; then pictures, set, journal, pin, notes — each
// step can be repeated, so that a crash is mended by the same command.
import FarmCore
import FarmImaging
import FarmReferences
import Foundation

/// What an approval will do; nothing has been written yet.
struct ApprovalPlan {
    var choice: ApprovalChoice
    /// Of the accepted pictures.
    var pictures: [SnapshotID: RecordedPicture]
    /// Accepted, and a reference already.
    var present: Set<SnapshotID>
    var recordings: [CellRecording]
}

/// What an approval did.
struct ApprovalResult {
    var plan: ApprovalPlan
    /// Nil for a dry run, and where nothing was to be done.
    var set: ObjectID?
    /// Whether the pin file has other text than before.
    var movedPin: Bool
}

struct Approval {
    let session: ReviewSession
    let options: ApprovalOptions

    private var reencoding: Reencoding {
        let suites = session.source.pipeline.references?.reencode ?? []
        return Reencoding(suites: suites) { try PNGRecoder.smaller($0) }
    }

    /// Decides; every doubt about the run is a refusal.
    func plan() throws -> ApprovalPlan {
        try checkRun()
        let choice = ApprovalRules.choose(
            session.selected,
            options,
            rejected: try session.file.read().rejected
        )
        guard !choice.cells.isEmpty || choice.left.isEmpty else {
            throw ReviewRefusal.neverApproved(choice.left)
        }
        var plan = ApprovalPlan(choice: choice, pictures: [:], present: [], recordings: [])
        var records: [CellID: [String: SuiteRecord]] = [:]
        var references: [SnapshotID: ObjectID] = [:]
        for cell in choice.cells {
            try checkPin(cell)
            records[cell] = try session.store.suiteRecords(session.pin, cell: cell)
            references.merge(try present(session.pin, cell)) { _, new in new }
        }
        for picture in choice.accepted {
            let recorded = try recorded(picture.id)
            plan.pictures[picture.id] = recorded
            if references[picture.id] == recorded.objectID { plan.present.insert(picture.id) }
        }
        plan.recordings = ApprovalRules.recordings(
            of: choice,
            pictures: plan.pictures,
            records: records,
            renderers: session.run.manifest.renderers,
            pipeline: session.run.manifest.run.pipeline
        )
        return plan
    }

    /// Writes the set, the journal, the pin and the notes.
    func perform(_ plan: ApprovalPlan, now: Date) throws -> ApprovalResult {
        guard !plan.recordings.isEmpty else {
            return ApprovalResult(plan: plan, set: nil, movedPin: false)
        }
        let ids = Dictionary(plan.pictures.map { ($0.value.objectID, $0.key) }) { one, _ in one }
        let recorded = try session.store.holdingOffPrune {
            let recorded = try session.store.record(
                base: session.pin,
                recordings: plan.recordings
            ) { picture in
                // The store asks only for what it lacks, and checks what it gets.
                guard let id = ids[picture.objectID], let entry = session.pictures[id]?.entry
                else {
                    return try session.store.read(picture.objectID)
                }
                return try reencoding.bytes(of: id, session.run.bytes(of: id, entry))
            }
            guard recorded.pin != session.pin else { return recorded }
            try session.store.appendJournal(
                of: recorded.pin,
                since: session.pin,
                note: note,
                cells: session.source.cells,
                now: now
            )
            try session.place.write(recorded.pin, set: recorded.set)
            return recorded
        }
        let accepted = plan.choice.accepted.map(\.id)
        let removed = plan.choice.removed.map(\.id)
        try session.file.add(
            session.notes(accepted, .approved, now: now)
                + session.notes(removed, .removed, now: now)
        )
        return ApprovalResult(plan: plan, set: recorded.set, movedPin: recorded.pin != session.pin)
    }

    private var note: JournalNote {
        let facts = session.run.manifest.run
        let isNumber = facts.pullRequest.utf8.allSatisfy { (48...57).contains($0) }
        let change = isNumber ? "#\(facts.pullRequest)" : facts.pullRequest
        return JournalNote(
            change: facts.pullRequest.isEmpty ? nil : change,
            mainCommit: facts.commit,
            run: facts.id,
            recorder: session.reviewer,
            reason: session.request.reason
        )
    }

    // MARK: what is refused

    private func checkRun() throws {
        let manifest = session.run.manifest
        guard manifest.run.mode == .verify else {
            throw ReviewRefusal.notVerify(run: manifest.run.id)
        }
        if let place = manifest.run.shard {
            throw ReviewRefusal.shard(run: manifest.run.id, place: String(place.prefix(20)))
        }
        // The whole run, not only the cells at hand: that two tests make one picture, or that a
        // reference is missing, is known only once all have ended.
        let open = manifest.cells.filter { !$0.complete }.map(\.id)
        guard [.passed, .failed].contains(manifest.state), open.isEmpty, !manifest.cells.isEmpty
        else {
            throw ReviewRefusal.incomplete(
                run: manifest.run.id,
                state: manifest.state,
                cells: open
            )
        }
    }

    /// Who approved saw the run's references; only its own earlier approvals may have moved them.
    private func checkPin(_ cell: CellID) throws {
        let manifest = session.run.manifest
        let base = manifest.pin
        guard base.folders(of: cell) != session.pin.folders(of: cell) else { return }
        guard let old = try? present(base, cell) else {
            throw ReviewRefusal.otherPin(run: manifest.run.id, cell: cell, names: [])
        }
        let missing = session.pictures.values.map(\.picture).filter { $0.verdict == .missing }
        let strangers = try ApprovalRules.strangers(
            base: old,
            now: try present(session.pin, cell),
            missing: Set(missing.map(\.id))
        ) { id in
            guard let found = session.pictures[id], found.picture.capture != nil,
                ApprovalRules.isReviewable(found.picture)
            else { return nil }
            let capture = try session.run.bytes(of: id, found.entry)
            return ObjectID(ofBlob: try reencoding.bytes(of: id, capture))
        }
        guard strangers.isEmpty else {
            throw ReviewRefusal.otherPin(run: manifest.run.id, cell: cell, names: strangers)
        }
    }

    private func present(_ pin: ReferencePin, _ cell: CellID) throws -> [SnapshotID: ObjectID] {
        let references = try session.store.references(pin, cell: cell)
        return Dictionary(references.map { ($0.id, $0.objectID) }) { first, _ in first }
    }

    private func recorded(_ id: SnapshotID) throws -> RecordedPicture {
        guard let entry = session.pictures[id]?.entry else {
            throw ReviewRefusal.pictureAbsent(id, origin: session.run.origin)
        }
        let bytes = try session.run.bytes(of: id, entry)
        do {
            try PNGDecoder.check(bytes)
        } catch {
            throw ReviewRefusal.notAPicture(id, reason: error.message)
        }
        return RecordedPicture(objectID: ObjectID(ofBlob: try reencoding.bytes(of: id, bytes)))
    }
}
