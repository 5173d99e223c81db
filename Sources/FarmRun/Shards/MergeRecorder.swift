// The new set of a record run on several machines. It is made only of a complete set of shares, and
// only if the work tree's pin is the one that all of them started from.
import FarmArtifacts
import FarmCore
import FarmImaging
import FarmReferences
import FarmServer
import Foundation

/// The error of a work tree whose pin is not the one that the shares started from.
struct OtherBase: ExplainedError {
    let pinPath: String

    var code: String { "merge-other-pin" }
    var message: String { "\(pinPath) is not the pin that the shards recorded over." }
    var remedy: String {
        "Check out the commit that was run and merge there; nothing was recorded."
    }
    var exit: ExitCode { .configuration }
}

struct MergeRecorder {
    private let evidence: RunEvidence
    private let place: ReferencePlace

    init(evidence: RunEvidence, request: MergeRequest) throws {
        self.evidence = evidence
        let name = evidence.plan.pipeline
        let source =
            try request.pipeline.map { try PipelineSource(file: $0) }
            ?? PipelineSearch.find(named: name, request.environment)
        guard source.pipeline.name == name else {
            throw ReviewRefusal.otherPipeline(
                run: evidence.facts.id,
                pipeline: name,
                ours: source.pipeline.name
            )
        }
        guard let place = try source.references(request.environment) else {
            throw PipelineSearchError.noReferences(name: name)
        }
        self.place = place
    }

    /// Writes the set, moves the pin and returns the pin's path; no recording if no picture may
    /// become a reference.
    func record(_ blobs: BlobStore) throws -> (RunRecording?, pinPath: String?) {
        let base = evidence.plan.pin
        guard try place.pin() == base else { throw OtherBase(pinPath: place.pinPath) }
        let cells = Set(evidence.plan.jobs.flatMap(\.job.cells).map(\.id))
        let recorder = RunRecorder(
            store: try place.store(for: .record, pin: base, cells: cells),
            blobs: blobs,
            reencode: { try PNGRecoder.smaller($0) },
            now: Int64(Date().timeIntervalSince1970 * 1000)
        )
        guard let recording = try recorder.record(evidence) else { return (nil, nil) }
        try place.write(recording.pin, set: recording.set)
        return (recording, place.pinPath)
    }
}
