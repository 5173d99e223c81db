// A finished record run becomes a new reference set. The pin file is the caller's to write: only
// the next run's plan sees it.
import FarmArtifacts
import FarmCore
import FarmReferences
import Foundation

extension Coordinator {
    /// Writes what the run recorded; nil when it recorded nothing.
    func record(_ evidence: RunEvidence) throws -> RunRecording? {
        guard let store else { return nil }
        let base = try ReferencePin(parsing: Data(evidence.plan.pin.utf8))
        let recordings = RecordRules.recordings(of: evidence)
        guard !recordings.isEmpty else { return nil }
        let recorded = try store.record(base: base, recordings: recordings) { picture in
            try bytes(of: picture)
        }
        let recording = RunRecording(
            pin: recorded.pin.text,
            set: recorded.set,
            outcomes: Dictionary(
                uniqueKeysWithValues: recorded.outcomes.map { ($0.key.text, $0.value) }
            )
        )
        try journal(recording, recorded.pin, evidence, store)
        return recording
    }

    /// An unchanged picture was never uploaded: it lies in the store already.
    private func bytes(of picture: RecordedPicture) throws -> Data {
        if blobs.contains(picture.digest) { return try blobs.read(picture.digest) }
        return try self.picture(picture.objectID)
    }

    private func journal(
        _ recording: RunRecording,
        _ pin: ReferencePin,
        _ evidence: RunEvidence,
        _ store: ReferenceStore
    ) throws {
        let parts = [
            (recording.changed, "changed"), (recording.added, "new"),
            (recording.removed, "removed"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        let what = parts.isEmpty ? "no change" : parts.joined(separator: ", ")
        var trailers = [JournalTrailer("Snapfarm-Run", evidence.facts.id)]
        if !evidence.facts.commit.isEmpty {
            trailers.append(JournalTrailer("Snapfarm-Main-Commit", evidence.facts.commit))
        }
        if !evidence.facts.pin.isEmpty {
            trailers.append(JournalTrailer("Snapfarm-Base", evidence.facts.pin))
        }
        try store.appendJournal(
            set: recording.set,
            pin: pin,
            title: "\(what) — \(evidence.plan.pipeline)",
            trailers: trailers,
            now: Date(timeIntervalSince1970: Double(clock()) / 1000)
        )
    }
}
