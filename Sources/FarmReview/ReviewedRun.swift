// A run for a review: its manifest and the bytes of its pictures. It is the same from a ledger, a
// folder, or a zip whose machine is gone.
import FarmArtifacts
import FarmCore
import FarmLedger
import Foundation

/// A run under review.
package struct ReviewedRun: Sendable {
    package let manifest: PortableManifest
    /// The name of the run's origin for messages.
    package let origin: String
    /// The source of the run's files.
    package let source: Source

    /// A source of a run's files.
    package enum Source: Sendable {
        case kept(KeptFiles)
        /// The data folder of a judged run. `reference` reads the bytes of a reference, or returns
        /// `nil` if it is not there.
        case judged(JudgedRun, any Blobs, reference: @Sendable (ObjectID) throws -> Data?)
    }

    private init(manifest: PortableManifest, origin: String, source: Source) {
        self.manifest = manifest
        self.origin = origin
        self.source = source
    }

    /// Returns the summary of all tests and pictures of the run, or `nil` if it was not kept.
    ///
    /// - Throws: `ReviewRefusal.notOurs` if the summary does not agree with the manifest.
    package func summary() throws -> RunSummary? {
        let kept: KeptFiles
        switch source {
        case .judged(let judged, _, _): return judged.summary
        case .kept(let files): kept = files
        }
        let bytesMax = FarmLimits.manifestBytesMax
        guard let bytes = try kept.bytes(KeptFiles.summary, bytesMax: bytesMax) else { return nil }
        guard let summary = try? JSONDecoder().decode(RunSummary.self, from: bytes),
            summary.schemaVersion == RunSummary.currentVersion, manifest.isOf(summary)
        else {
            throw ReviewRefusal.notOurs(
                origin: origin,
                fact: "its \(KeptFiles.summary) is not that of run \(manifest.run.id)"
            )
        }
        return summary
    }

    /// Returns the ids of the pictures that belong to some changes.
    ///
    /// - Throws: `ReviewRefusal.unknownChanges`.
    func pictures(ofChanges ids: [String]) throws -> Set<String> {
        let known = Dictionary((try summary()?.changes ?? []).map { ($0.id, $0) }) { first, _ in
            first
        }
        let unknown = ids.filter { known[$0] == nil }
        guard unknown.isEmpty else {
            throw ReviewRefusal.unknownChanges(run: manifest.run.id, unknown)
        }
        return Set(ids.flatMap { known[$0]?.snapshots ?? [] })
    }

    /// Reads the capture of a picture; the bytes match the digest in the manifest.
    ///
    /// - Throws: `ReviewRefusal` if the bytes are missing or do not match.
    package func bytes(of id: SnapshotID, _ entry: PortableManifest.Entry) throws -> Data {
        guard let expected = Digest(entry.capture), let bytes = try capture(of: entry) else {
            throw ReviewRefusal.pictureAbsent(id, origin: origin)
        }
        let actual = Digest(of: bytes)
        guard actual == expected else {
            throw ReviewRefusal.wrongDigest(
                id,
                expected: expected,
                actual: actual,
                origin: origin
            )
        }
        return bytes
    }

    /// Reads the companions of a capture; their bytes match the digests in the manifest.
    ///
    /// A companion that is missing or does not match is left out: no decision depends on it.
    package func companions(of entry: PortableManifest.Entry) throws -> [CompanionKind: Data] {
        var companions: [CompanionKind: Data] = [:]
        for kind in CompanionKind.allCases {
            guard let digest = entry.companions?[kind.rawValue].flatMap({ Digest($0) }),
                let bytes = try companion(kind, digest, of: entry), Digest(of: bytes) == digest
            else { continue }
            companions[kind] = bytes
        }
        return companions
    }

    private func companion(
        _ kind: CompanionKind,
        _ digest: Digest,
        of entry: PortableManifest.Entry
    ) throws -> Data? {
        switch source {
        case .kept(let files):
            guard let file = entry.files[kind.rawValue] else { return nil }
            let path = "\(KeptFiles.diffs)/\(file)"
            return try files.bytes(path, bytesMax: FarmLimits.companionBytesMax)
        case .judged(_, let blobs, _):
            return try blobs.contains(digest) ? try blobs.read(digest) : nil
        }
    }

    /// Reads the capture of an entry without checking it; returns `nil` if it was not kept.
    private func capture(of entry: PortableManifest.Entry) throws -> Data? {
        switch source {
        case .kept(let files):
            guard let file = entry.files["failed"] else { return nil }
            let path = "\(KeptFiles.diffs)/\(file)"
            return try files.bytes(path, bytesMax: FarmLimits.pictureBytesMax)
        case .judged(let judged, let blobs, let reference):
            guard let digest = Digest(entry.capture) else { return nil }
            if try blobs.contains(digest) { return try blobs.read(digest) }
            // A capture that equals its reference byte for byte was never uploaded.
            guard let sources = judged.pictures[entry.snapshot], sources.captureIsReference,
                let object = sources.reference
            else { return nil }
            return try reference(object)
        }
    }
}

// MARK: origins

extension ReviewedRun {
    /// Opens the run in a folder or a zip.
    ///
    /// `origin` names it; `scratch` is a folder for a zip inside the zip.
    package init(from path: String, origin: String, scratch: String) throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw ZipReadError.unreadable(path: origin)
        }
        let origin = isFolder.boolValue ? path : origin
        let files =
            isFolder.boolValue
            ? try KeptFiles(folder: path)
            : try KeptFiles(zip: ZipReader(fileAt: path), origin: origin, scratch: scratch)
        let name = "\(KeptFiles.diffs)/\(KeptFiles.manifest)"
        guard let bytes = try files.bytes(name, bytesMax: FarmLimits.manifestBytesMax) else {
            throw ReviewRefusal.notOurs(origin: origin, fact: "its manifest cannot be read")
        }
        self.init(
            manifest: try PortableManifest(parsing: bytes, origin: origin),
            origin: origin,
            source: .kept(files)
        )
    }

    /// Opens a judged run.
    ///
    /// `reference` reads the bytes of a reference, or returns `nil` if it is not there.
    package init(
        _ judged: JudgedRun,
        of plan: Plan,
        blobs: any Blobs,
        reference: @escaping @Sendable (ObjectID) throws -> Data?
    ) {
        self.init(
            manifest: PortableManifest(
                judged.summary,
                policies: PortableManifest.JobPolicy.all(of: plan.jobs.map(\.job)),
                plan.pin,
                renderers: judged.renderers
            ),
            origin: "run \(judged.summary.run.id)",
            source: .judged(judged, blobs, reference: reference)
        )
    }

    /// Opens a run of a ledger.
    ///
    /// - Throws: `LedgerError.noRun`, and `ReviewRefusal.incomplete` for a run that is still open.
    package init(
        run id: RunID,
        in ledger: some Ledger,
        blobs: any Blobs,
        reference: @escaping @Sendable (ObjectID) throws -> Data?
    ) async throws {
        let record = try await ledger.run(id)
        guard let judged = try await ledger.judged(id) else {
            throw ReviewRefusal.incomplete(run: id.text, state: .running, cells: [])
        }
        self.init(judged, of: record.plan, blobs: blobs, reference: reference)
    }
}
