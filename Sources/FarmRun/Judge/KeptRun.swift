// A run that is to be judged again: its evidence and its pictures, from a data folder, or from an
// output folder or a zip whose machine is gone.
import FarmArtifacts
import FarmCore
import FarmDrivers
import FarmLedger
import FarmReview
import Foundation

/// A finished run with its evidence.
struct KeptRun: Sendable {
    let evidence: RunEvidence
    let source: PipelineSource
    /// The blobs of the run's pictures, which take those of the judgement.
    let blobs: BlobStore
    /// The run's files if it is from elsewhere, with their paths by digest.
    private let files: (kept: KeptFiles, paths: [Digest: String])?
    /// The locked data folder, or the scratch folder of the blobs.
    private let owner: Owner

    private enum Owner: Sendable {
        case data(DataFolder)
        case scratch(OwnedFolder)
    }

    /// Opens the run that a request names; `output` is the path of the output folder.
    static func open(_ request: JudgeRequest, beside output: String) async throws -> KeptRun {
        switch request.place {
        case .run(let id): return try await open(id, request)
        case .from(let place): return try await open(from: place, request, beside: output)
        }
    }

    /// Removes the scratch folder of a run from elsewhere.
    func close() {
        if case .scratch(let folder) = owner { folder.remove() }
    }

    // MARK: data folder

    private static func open(_ id: String, _ request: JudgeRequest) async throws -> KeptRun {
        var review = ReviewRequest(.run(id), environment: request.environment)
        review.file = request.file
        review.data = request.data
        let candidates: [RunSearch.Candidate]
        do {
            candidates = try RunSearch(request: review).candidates(id)
        } catch PipelineSearchError.nothingToReview(let data) {
            throw RejudgeError.noRun(data: data)
        }
        for found in candidates.dropLast() {
            // The newest run may be a part; the newest whole one is meant.
            do { return try await open(found) } catch RejudgeError.part { continue }
        }
        guard let last = candidates.last else { throw LedgerError.noRun(RunID(id)) }
        return try await open(last)
    }

    private static func open(_ found: RunSearch.Candidate) async throws -> KeptRun {
        let data = try DataFolder(found.data)
        let ledger = try SQLiteLedger(path: data.ledger)
        defer { try? ledger.close() }
        let run = try await ledger.run(found.run)
        guard let judged = try await ledger.judged(found.run) else {
            throw RejudgeError.open(found.run.text)
        }
        guard judged.summary.run.isJudgeable else { throw RejudgeError.part(found.run.text) }
        let (tests, leases) = try await ledger.evidence(found.run)
        return KeptRun(
            evidence: RunEvidence(
                facts: judged.summary.run,
                plan: run.plan,
                tests: tests,
                leases: leases,
                references: [:],
                cancelled: judged.summary.state == .cancelled,
                startedAt: run.startedAt,
                incidents: try await ledger.incidents(found.run)
            ),
            source: try found.source.resolved(),
            blobs: try BlobStore(folder: data.blobs),
            files: nil,
            owner: .data(data)
        )
    }

    // MARK: elsewhere

    private static func open(
        from origin: String,
        _ request: JudgeRequest,
        beside output: String
    ) async throws -> KeptRun {
        let scratch = try OutputScratch(beside: output)
        do {
            let path = try await ReviewDownload.local(
                origin,
                request.environment,
                scratch.folder.path
            )
            let run = try ReviewedRun(from: path, origin: origin, scratch: scratch.folder.path)
            guard case .kept(let files) = run.source, let summary = try run.summary() else {
                throw ReviewRefusal.notOurs(origin: origin, fact: "it has no \(KeptFiles.summary)")
            }
            if summary.isProven {
                throw RejudgeError.unchanged(summary.run.id)
            }
            let evidence = try evidence(in: files, of: run, origin)
            return KeptRun(
                evidence: evidence,
                source: try request.file.map { try PipelineSource(file: $0) }.map {
                    try $0.resolved()
                }
                    ?? PipelineSearch.find(named: evidence.plan.pipeline, request.environment)
                    .resolved(),
                blobs: scratch.blobs,
                files: (files, paths(of: summary, RunJudge.judge(evidence))),
                owner: .scratch(scratch.folder)
            )
        } catch {
            scratch.remove()
            throw error
        }
    }

    static func evidence(
        in files: KeptFiles,
        of run: ReviewedRun,
        _ origin: String
    ) throws -> RunEvidence {
        let path = "\(KeptFiles.diffs)/\(KeptFiles.evidence)"
        guard let bytes = try files.bytes(path, bytesMax: FarmLimits.shardEvidenceBytesMax) else {
            throw ReviewRefusal.notOurs(
                origin: origin,
                fact: "it holds no \(KeptFiles.evidence): a part of a run, a record run, a run at "
                    + "a coordinator or an older snapfarm wrote it"
            )
        }
        guard let kept = try? JSONDecoder().decode(PortableEvidence.self, from: bytes),
            kept.schemaVersion == PortableEvidence.currentVersion
        else {
            throw ReviewRefusal.notOurs(
                origin: origin,
                fact: "its \(KeptFiles.evidence) cannot be read"
            )
        }
        let isOfRun = kept.facts.id == run.manifest.run.id && kept.plan.pin == run.manifest.pin
        if let fault = isOfRun ? kept.fault() : "it is of another run" {
            throw ReviewRefusal.notOurs(origin: origin, fact: "\(KeptFiles.evidence): \(fault)")
        }
        return kept.whole
    }

    /// Returns the paths of the files that the summary names, by digest.
    private static func paths(of summary: RunSummary, _ judged: JudgedRun) -> [Digest: String] {
        var paths: [Digest: String] = [:]
        for snapshot in summary.snapshots {
            guard let found = judged.pictures[snapshot.id] else { continue }
            for (role, digest) in [
                ("capture", found.capture), ("failed", found.capture), ("diff", found.diff),
                ("other", found.earlier), ("reference", found.referenceBlob),
            ] {
                if let digest, let path = snapshot.files[role] { paths[digest] = path }
            }
        }
        for (name, digest) in judged.logs { paths[digest] = "logs/\(name)" }
        return paths
    }

    // MARK: pictures

    /// Returns the bytes with a digest, or `nil` if they are not kept.
    func bytes(of digest: Digest) throws -> Data? {
        if blobs.contains(digest) { return try blobs.read(digest) }
        guard let files, let path = files.paths[digest],
            let bytes = try files.kept.bytes(path, bytesMax: FarmLimits.blobBytesMax),
            Digest(of: bytes) == digest
        else { return nil }
        return bytes
    }

    /// Returns the evidence without the logs that are not kept; stores the others as blobs.
    func evidenceWithKeptLogs() throws -> RunEvidence {
        var evidence = evidence
        for index in evidence.leases.indices {
            guard let log = evidence.leases[index].log else { continue }
            if let bytes = try bytes(of: log) {
                try blobs.put(bytes)
            } else {
                evidence.leases[index].log = nil
            }
        }
        return evidence
    }

    /// Stores the kept pictures that the views of a judgement show.
    func bring(_ judged: JudgedRun) throws {
        guard files != nil else { return }
        try blobs.putInBatch { put in
            for snapshot in judged.summary.snapshots where !snapshot.verdict.isAsExpected {
                guard let found = judged.pictures[snapshot.id] else { continue }
                for digest in [found.capture, found.diff, found.earlier, found.referenceBlob] {
                    guard let digest, !blobs.contains(digest), let bytes = try bytes(of: digest)
                    else { continue }
                    _ = try put(bytes)
                }
            }
        }
    }
}

extension PipelineSource {
    /// Returns the source with the masks of its comparisons read.
    fileprivate func resolved() throws -> PipelineSource {
        var source = self
        try source.resolveMasks()
        return source
    }
}
