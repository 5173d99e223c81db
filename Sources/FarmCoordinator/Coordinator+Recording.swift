// A finished record run becomes a new reference set, in the coordinator's store: on
// a Git host before the run says so.
import FarmArtifacts
import FarmCore
import FarmReferences

extension Coordinator {
    /// Writes what the run recorded; nil when it recorded nothing.
    func record(
        _ evidence: RunEvidence,
        to store: ReferenceStore?
    ) throws -> RunRecording? {
        guard let store else { return nil }
        let recorder = RunRecorder(
            store: store,
            blobs: blobs.waiting,
            reencode: reencode,
            now: clock(),
            publish: hooks.publish
        )
        return try recorder.record(evidence)
    }
}
