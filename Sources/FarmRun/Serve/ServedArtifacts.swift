// The artifacts of a coordinator's runs: the zip and the documents that `snapfarm run` would have
// written, computed from ledger, blobs and store. The last ones are cached.
import FarmArtifacts
import FarmCore
import FarmReferences
import FarmReview
import FarmServer
import Foundation
import Synchronization

final class ServedArtifacts: RunArtifacts {
    private let coordinator: Coordinator
    private let known = Mutex(BoundedCache<RunID, [ArtifactView]>(max: 16))

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
        known.withLock { $0[run] = all }
        return all
    }

    private func views(
        of judged: JudgedRun,
        _ plan: Plan,
        _ store: ReferenceStore?
    ) throws -> [ArtifactView] {
        let sources = OutputSources(
            blobs: coordinator.blobs.waiting,
            policies: PortableManifest.JobPolicy.all(of: plan.jobs.map(\.job)),
            pin: plan.pin,
            reference: { try store?.read($0) }
        )
        let views = try RunViews(judged, evidence: nil, of: sources, in: nil)
        let archive = views.zip.archive
        let blobs = sources.blobs
        var digest = DigestStream()
        try archive.write(from: blobs) { chunk throws(ArtifactError) in digest.append(chunk) }
        let zipDigest = digest.finish()
        let summary = views.summary(zip: zipDigest)
        let kept = coordinator.blobs
        let zip = ArtifactView(name: FailureZip.name, bytes: archive.size, sha256: zipDigest) {
            try await archive.bytes(in: $0, from: kept)
        }
        let documents = [RunDocument.summary, .junit, .plainReport, .timeline]
        return [zip] + (try documents.map { Self.view($0.name, try $0.render(summary)) })
    }

    private static func view(_ name: String, _ bytes: Data) -> ArtifactView {
        ArtifactView(name: name, bytes: bytes.count, sha256: Digest(of: bytes)) { range in
            Array(bytes[range])
        }
    }
}
