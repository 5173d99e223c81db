// A finished record run becomes a new reference set, in the coordinator's store: on
// a Git host before the run says so.
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

/// A record run whose pictures were not written.
struct UnrecordedError: ExplainedError {
    let cause: any ExplainedError

    var code: String { cause.code }
    var message: String { "its pictures cannot be recorded: \(cause.message)" }
    var remedy: String { cause.remedy }
    var exit: ExitCode { cause.exit }
}

/// Whether the policy of a choice calls two files alike.
package typealias TakeComparer = @Sendable (Data, Data, ComparisonChoice) -> Bool

extension Coordinator {
    /// The same evidence with the pictures of a record run whose takes differ, but not by the policy
    /// of their job.
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
