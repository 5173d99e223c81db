// The artifacts of a coordinator's runs: the zip and the documents that `snapfarm run` would have
// written, computed from ledger, blobs and store. Those asked for last are at hand.
import FarmArtifacts
import FarmCoordinator
import FarmCore
import FarmReferences
import FarmReports
import FarmServer
import Foundation
import Synchronization

final class ServedArtifacts: RunArtifacts {
    private let coordinator: Coordinator
    private let known = Mutex<[RunID: [ArtifactView]]>([:])
    private static let knownMax = 8

    init(_ coordinator: Coordinator) { self.coordinator = coordinator }

    func artifacts(of run: RunID) async throws -> [ArtifactView] {
        if let views = known.withLock({ $0[run] }) { return views }
        let plan = try await coordinator.plan(run)
        guard let judged = try await coordinator.judged(run) else {
            throw RunArtifactsError.open(run)
        }
        let all = try await coordinator.withStore(of: plan) { store in
            try self.views(of: judged, plan, store)
        }
        known.withLock { known in
            if known.count >= Self.knownMax { known = [:] }
            known[run] = all
        }
        return all
    }

    private func views(
        of judged: JudgedRun,
        _ plan: Plan,
        _ store: ReferenceStore?
    ) throws -> [ArtifactView] {
        var summary = judged.summary
        let sources = OutputSources(
            blobs: coordinator.blobs,
            policies: PortableManifest.JobPolicy.all(of: plan.jobs.map(\.job)),
            pin: plan.pin,
            reference: { try store?.read($0) }
        )
        var pictures = PictureFiles(folder: nil, sources: sources, mode: summary.run.mode)
        for index in summary.snapshots.indices {
            let id = summary.snapshots[index].id
            guard let found = judged.pictures[id] else { continue }
            summary.snapshots[index].files = try pictures.place(summary.snapshots[index], found)
        }
        return try views(of: summary, pictures.diffs, sources, judged.renderers)
    }

    private func views(
        of summary: RunSummary,
        _ diffs: [(path: String, digest: Digest)],
        _ sources: OutputSources,
        _ renderers: [RunRenderer]?
    ) throws -> [ArtifactView] {
        let zip = try FailureZip(
            diffs,
            summary,
            policies: sources.policies,
            pin: sources.pin,
            renderers: renderers,
            blobs: sources.blobs
        )
        let blobs = coordinator.blobs
        var digest = DigestStream()
        try zip.archive.write(from: blobs) { chunk throws(ArtifactError) in digest.append(chunk) }
        let zipDigest = digest.finish()
        var summary = summary
        summary.artifacts = [
            ArtifactSummary(
                name: FailureZip.name,
                bytes: zip.archive.size,
                sha256: zipDigest.hex
            )
        ]
        return [
            ArtifactView(name: FailureZip.name, bytes: zip.archive.size, sha256: zipDigest) {
                try Self.bytes(of: zip.archive, in: $0, blobs)
            },
            Self.document("summary.json", try SummaryJSON.encode(summary)),
            Self.document("junit.xml", Data(JUnitReport.render(summary).utf8)),
            Self.document("report.md", Data(OutputFolder.plainReport(summary).utf8)),
            Self.document("timeline.json", Data(Timeline.render(summary).utf8)),
        ]
    }

    private static func bytes(
        of archive: ZipArchive,
        in range: Range<Int>,
        _ blobs: BlobStore
    ) throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        try archive.write(range, from: blobs) { chunk throws(ArtifactError) in
            bytes.append(contentsOf: chunk)
        }
        return bytes
    }

    private static func document(_ name: String, _ bytes: Data) -> ArtifactView {
        ArtifactView(name: name, bytes: bytes.count, sha256: Digest(of: bytes)) { range in
            Array(bytes[range])
        }
    }
}
