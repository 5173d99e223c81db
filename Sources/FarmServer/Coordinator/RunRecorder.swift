// Records a finished record run as a new reference set. The caller writes the pin file: only the
// next run's plan sees it.
import FarmArtifacts
import FarmCore
import FarmReferences
import Foundation

/// Writes the pictures of a record run into its store, given the run's evidence.
package struct RunRecorder: Sendable {
    let store: ReferenceStore
    let blobs: any Blobs
    let reencode: Reencoding.Encoder
    /// The time of the recording, in milliseconds since 1970.
    let now: Int64
    let publish: @Sendable (NewSet) throws -> Void

    package init(
        store: ReferenceStore,
        blobs: any Blobs,
        reencode: @escaping Reencoding.Encoder,
        now: Int64,
        publish: @escaping @Sendable (NewSet) throws -> Void = { try $0.appendJournal() }
    ) {
        self.store = store
        self.blobs = blobs
        self.reencode = reencode
        self.now = now
        self.publish = publish
    }

    /// Records a run's pictures as a new reference set, or returns `nil` if there is nothing to
    /// record.
    package func record(_ evidence: RunEvidence) throws -> RunRecording? {
        let base = evidence.plan.pin
        let recordings = try RecordRules.recordings(of: evidence).map {
            try reencoded($0, over: base, evidence.plan)
        }
        guard !recordings.isEmpty else { return nil }
        return try store.withPruneBlocked {
            try record(recordings, over: base, of: evidence)
        }
    }

    private func record(
        _ recordings: [CellRecording],
        over base: ReferencePin,
        of evidence: RunEvidence
    ) throws -> RunRecording {
        let recorded = try store.record(base: base, recordings: recordings) { picture in
            try bytes(of: picture)
        }
        let recording = RunRecording(
            pin: recorded.pin,
            set: recorded.set,
            outcomes: Dictionary(
                uniqueKeysWithValues: recorded.outcomes.map { ($0.key.text, $0.value) }
            )
        )
        try publish(
            NewSet(
                pipeline: evidence.plan.pipeline,
                pin: recorded.pin,
                base: base,
                note: note(evidence.facts),
                cells: cells(of: evidence.plan),
                now: Date(timeIntervalSince1970: Double(now) / 1000),
                store: store
            )
        )
        return recording
    }

    /// Returns the recording with smaller files of the same pixels, for suites for which the plan
    /// asks that.
    ///
    /// Keeps files that are references already.
    private func reencoded(
        _ recording: CellRecording,
        over base: ReferencePin,
        _ plan: Plan
    ) throws -> CellRecording {
        guard !plan.reencode.isEmpty else { return recording }
        let reencoding = Reencoding(suites: plan.reencode, smaller: reencode)
        let present = Set(try store.references(base, cell: recording.cell).map(\.objectID))
        var recording = recording
        for (id, picture) in recording.pictures
        where reencoding.applies(to: id) && !present.contains(picture.objectID) {
            let made = try reencoding.bytes(of: id, try bytes(of: picture))
            recording.pictures[id] = RecordedPicture(
                digest: try blobs.put(made),
                objectID: ObjectID(ofBlob: made),
                companions: picture.companions
            )
        }
        return recording
    }

    /// Returns the bytes of a recorded picture.
    ///
    /// An unchanged picture was never uploaded, so they come from the store.
    private func bytes(of picture: RecordedPicture) throws -> Data {
        if let digest = picture.digest, try blobs.contains(digest) { return try blobs.read(digest) }
        return try store.read(picture.objectID)
    }

    private func note(_ facts: RunFacts) -> JournalNote {
        JournalNote(
            change: facts.pullRequest.isEmpty ? nil : "#\(facts.pullRequest)",
            mainCommit: facts.commit,
            run: facts.id,
            recorder: LogEntry.recordRun
        )
    }

    /// Returns every cell of a plan once, in the plan's order.
    private func cells(of plan: Plan) -> [Cell] {
        var seen: Set<CellID> = []
        return plan.jobs.flatMap(\.job.cells).filter { seen.insert($0.id).inserted }
    }
}
