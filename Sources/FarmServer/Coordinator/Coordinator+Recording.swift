// Records the pictures of a finished record run as a new reference set in the coordinator's store.
// The set is published before the run says that it was recorded.
import FarmArtifacts
import FarmCore
import FarmReferences
import Foundation

extension Coordinator {
    /// Records a run's pictures in `store`; returns `nil` if there is no store or nothing to
    /// record.
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
        do {
            return try recorder.record(evidence)
        } catch let error as any ExplainedError {
            throw UnrecordedError(cause: error)
        }
    }
}

/// The error of a record run whose pictures cannot be written to the store.
struct UnrecordedError: ExplainedError {
    let cause: any ExplainedError

    var code: String { cause.code }
    var message: String { "its pictures cannot be recorded: \(cause.message)" }
    var remedy: String { cause.remedy }
    var exit: ExitCode { cause.exit }
}

/// Returns whether two pictures, given as the bytes of their files, are alike by the policy of a
/// comparison.
package typealias TakeComparer = @Sendable (Data, Data, ComparisonChoice) -> Bool

extension Coordinator {
    /// Returns the evidence with `alike` set: the pictures that may become references and whose
    /// takes differ in their bytes, but not by the policy of their job.
    func comparingTakes(of evidence: RunEvidence) async throws -> RunEvidence {
        var compared = evidence
        compared.alike = try await threads.run(in: .judging) { [blobs, isAlike] in
            RecordRules.alike(in: evidence) { one, other, choice in
                guard let one = try? blobs.waiting.read(one),
                    let other = try? blobs.waiting.read(other)
                else { return false }
                return isAlike(one, other, choice)
            }
        }
        return compared
    }
}
