// Compares kept captures with other references, or by other policies, on all cores. Digests come
// first: equal bytes are not read.
import FarmArtifacts
import FarmCore
import FarmImaging
import FarmReferences
import Foundation

struct CaptureComparisons: Sendable {
    let kept: KeptRun
    /// The store of the references to compare with, or `nil` for a pipeline without references.
    let store: ReferenceStore?

    /// Returns the outcomes of the pairs, in their order.
    func outcomes(_ pairs: [Rejudgement.Pair]) async throws -> [Rejudgement.Outcome] {
        let lanes = min(pairs.count, ProcessInfo.processInfo.activeProcessorCount)
        return try await withThrowingTaskGroup(of: [(Int, Rejudgement.Outcome)].self) { group in
            for lane in 0..<lanes {
                group.addTask {
                    try stride(from: lane, to: pairs.count, by: lanes).map { index in
                        try Task.checkCancellation()
                        return (index, try outcome(pairs[index]))
                    }
                }
            }
            var outcomes = [Rejudgement.Outcome](repeating: .unavailable, count: pairs.count)
            for try await lane in group { for (index, found) in lane { outcomes[index] = found } }
            return outcomes
        }
    }

    private func outcome(_ pair: Rejudgement.Pair) throws -> Rejudgement.Outcome {
        if pair.expected == pair.capture.objectID { return .compared(.identicalBytes, diff: nil) }
        if pair.alternates.contains(pair.capture.objectID) {
            return .compared(.identicalBytes, diff: nil, alternate: pair.capture.objectID)
        }
        guard let capture = try capture(pair) else { return .unavailable }
        // The judgement's pages and zip show it.
        try kept.blobs.put(capture)
        guard let expected = pair.expected, let store else {
            guard let rule = pair.choice.text else { return .compared(nil, diff: nil) }
            do throws(TextDefect) {
                let added = ComparedTexts.added(try TextForm(capture, rule))
                return .compared(added.map { .differentText($0) }, diff: nil)
            } catch {
                return .unusable(Problem(error))
            }
        }
        let compared = ComparedCapture(
            capture,
            reference: try store.read(expected),
            choice: pair.choice
        )
        if let problem = compared.problem { return .unusable(problem) }
        if compared.comparison?.matches == false {
            for alternate in pair.alternates {
                let bytes = try store.read(alternate)
                if let match = ComparedCapture.match(capture, alternate: bytes, choice: pair.choice)
                {
                    return .compared(match, diff: nil, alternate: alternate)
                }
            }
        }
        return .compared(
            compared.comparison,
            diff: try compared.diff.map { try kept.blobs.put($0) }
        )
    }

    /// Returns the bytes of a capture, or `nil` if they are not kept.
    private func capture(_ pair: Rejudgement.Pair) throws -> Data? {
        if let bytes = try kept.bytes(of: pair.capture.digest) { return bytes }
        // A capture that equals its reference byte for byte is kept only as that reference.
        guard pair.known == pair.capture.objectID, let store else { return nil }
        guard let bytes = try? store.read(pair.capture.objectID),
            Digest(of: bytes) == pair.capture.digest
        else { return nil }
        return bytes
    }
}
