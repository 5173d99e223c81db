// A finished record run becomes a new reference set. The pin file is the caller's to write: only
// the next run's plan sees it.
import FarmArtifacts
import FarmCore
import FarmReferences
import Foundation

extension Coordinator {
    /// Writes what the run recorded; nil when it recorded nothing.
    func record(
        _ evidence: RunEvidence,
        to store: ReferenceStore?
    ) throws -> RunRecording? {
        guard let store else { return nil }
        let base = try ReferencePin(parsing: Data(evidence.plan.pin.utf8))
        let recordings = try RecordRules.recordings(of: evidence).map {
            try reencoded($0, over: base, evidence.plan, store)
        }
        guard !recordings.isEmpty else { return nil }
        return try store.holdingOffPrune {
            try record(recordings, over: base, of: evidence, to: store)
        }
    }

    private func record(
        _ recordings: [CellRecording],
        over base: ReferencePin,
        of evidence: RunEvidence,
        to store: ReferenceStore
    ) throws -> RunRecording {
        let recorded = try store.record(base: base, recordings: recordings) { picture in
            try bytes(of: picture, store)
        }
        let recording = RunRecording(
            pin: recorded.pin.text,
            set: recorded.set,
            outcomes: Dictionary(
                uniqueKeysWithValues: recorded.outcomes.map { ($0.key.text, $0.value) }
            )
        )
        try store.appendJournal(
            of: recorded.pin,
            since: base,
            note: note(evidence.facts),
            cells: cells(of: evidence.plan),
            now: Date(timeIntervalSince1970: Double(clock()) / 1000)
        )
        return recording
    }

    /// With smaller files of the same pixels, where the plan asks for them; what is its reference
    /// already stays.
    private func reencoded(
        _ recording: CellRecording,
        over base: ReferencePin,
        _ plan: Plan,
        _ store: ReferenceStore
    ) throws -> CellRecording {
        guard !plan.reencode.isEmpty else { return recording }
        let reencoding = Reencoding(suites: plan.reencode, smaller: reencode)
        let present = Set(try store.references(base, cell: recording.cell).map(\.objectID))
        var recording = recording
        for (id, picture) in recording.pictures
        where reencoding.applies(to: id) && !present.contains(picture.objectID) {
            let made = try reencoding.bytes(of: id, try bytes(of: picture, store))
            recording.pictures[id] = RecordedPicture(
                digest: try blobs.put(made),
                objectID: ObjectID(ofBlob: made)
            )
        }
        return recording
    }

    /// An unchanged picture was never uploaded: it lies in the store already.
    private func bytes(of picture: RecordedPicture, _ store: ReferenceStore) throws -> Data {
        if let digest = picture.digest, blobs.contains(digest) { return try blobs.read(digest) }
        return try store.read(picture.objectID)
    }

    private func note(_ facts: RunFacts) -> JournalNote {
        JournalNote(
            change: facts.pullRequest.isEmpty ? nil : "#\(facts.pullRequest)",
            mainCommit: facts.commit,
            run: facts.id,
            recorder: "snapfarm run --mode record"
        )
    }

    /// Every cell of a plan once, in its order.
    private func cells(of plan: Plan) -> [Cell] {
        var seen: Set<CellID> = []
        return plan.jobs.flatMap(\.job.cells).filter { seen.insert($0.id).inserted }
    }
}
