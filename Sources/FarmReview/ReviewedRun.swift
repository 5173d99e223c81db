// A run as a review reads it: its manifest, and the bytes of the pictures it made. The same from a
// ledger, a folder, and a zip whose machine is gone.
import FarmArtifacts
import FarmCore
import FarmLedger
import Foundation

/// A run that people decide about.
package struct ReviewedRun: Sendable {
    package let manifest: PortableManifest
    /// Names the place in messages.
    package let origin: String
    /// What is one change of it; nil where it does not say.
    private let changes: @Sendable () throws -> [ChangeSummary]?
    /// The capture of an entry, not checked yet; nil where it was not kept.
    private let capture: @Sendable (PortableManifest.Entry) throws -> Data?

    private init(
        manifest: PortableManifest,
        origin: String,
        changes: @escaping @Sendable () throws -> [ChangeSummary]?,
        capture: @escaping @Sendable (PortableManifest.Entry) throws -> Data?
    ) {
        self.manifest = manifest
        self.origin = origin
        self.changes = changes
        self.capture = capture
    }

    /// Ids of the pictures that show the changes of these ids.
    ///
    /// - Throws: `ReviewRefusal.unknownChanges`.
    func pictures(ofChanges ids: [String]) throws -> Set<String> {
        let known = Dictionary((try changes() ?? []).map { ($0.id, $0) }) { first, _ in first }
        let unknown = ids.filter { known[$0] == nil }
        guard unknown.isEmpty else {
            throw ReviewRefusal.unknownChanges(run: manifest.run.id, unknown)
        }
        return Set(ids.flatMap { known[$0]?.snapshots ?? [] })
    }

    /// The bytes the run made of a picture, which are those its manifest names.
    ///
    /// - Throws: `ReviewRefusal` for bytes that are not there, or are others.
    package func bytes(of id: SnapshotID, _ entry: PortableManifest.Entry) throws -> Data {
        guard let expected = Digest(entry.capture), let bytes = try capture(entry) else {
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
}

// MARK: a folder or a zip

extension ReviewedRun {
    private static let manifestName = "manifest.json"
    private static let summaryName = "summary.json"
    private static let folderName = "FailureDiffs"
    private static let zipName = "FailureDiffs.zip"

    /// Opens a folder or a zip; `origin` names it, `scratch` is a folder for a zip inside the zip.
    package init(from path: String, origin: String, scratch: String) throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw ZipReadError.unreadable(path: origin)
        }
        if isFolder.boolValue {
            try self.init(folder: path)
        } else {
            try self.init(zip: ZipReader(fileAt: path), origin: origin, scratch: scratch)
        }
    }

    /// The output folder of a run, or its `FailureDiffs`.
    private init(folder: String) throws {
        let candidates = [folder, "\(folder)/\(Self.folderName)"]
        for candidate in candidates {
            let path = "\(candidate)/\(Self.manifestName)"
            guard
                let bytes = try BoundedFile.read(path, bytesMax: FarmLimits.manifestBytesMax)
            else { continue }
            self.init(
                manifest: try PortableManifest(parsing: bytes, origin: folder),
                origin: folder,
                changes: {
                    // Of the run's own folder, or of what somebody unpacked from its zip.
                    try candidates.lazy.compactMap {
                        try BoundedFile.read(
                            "\($0)/\(Self.summaryName)",
                            bytesMax: FarmLimits.manifestBytesMax
                        )
                    }.first.flatMap { try Self.changes($0, origin: folder) }
                }
            ) { entry in
                guard let file = entry.files["failed"], ZipPaths.isSafe(file) else { return nil }
                return try BoundedFile.read(
                    "\(candidate)/\(file)",
                    bytesMax: FarmLimits.pictureBytesMax
                )
            }
            return
        }
        throw ReviewRefusal.notOurs(origin: folder, fact: "holds no \(Self.manifestName)")
    }

    /// The zip itself, or what a CI provider made of it: a zip of the output folder, or a zip
    /// around the zip.
    private init(zip: ZipReader, origin: String, scratch: String, isInner: Bool = false) throws {
        let suffix = "\(Self.folderName)/\(Self.manifestName)"
        let manifests = zip.entries.filter {
            $0.path == Self.manifestName || $0.path == suffix || $0.path.hasSuffix("/\(suffix)")
        }
        if manifests.isEmpty, !isInner, let inner = Self.inner(zip) {
            let path = "\(scratch)/\(Self.zipName)"
            try zip.extract(inner, toFileAt: path, bytesMax: FarmLimits.archiveBytesMax)
            try self.init(
                zip: ZipReader(fileAt: path),
                origin: origin,
                scratch: scratch,
                isInner: true
            )
            return
        }
        guard manifests.count == 1, let entry = manifests.first else {
            throw ReviewRefusal.notOurs(
                origin: origin,
                fact: manifests.isEmpty
                    ? "holds no \(Self.manifestName)" : "holds the manifests of several runs"
            )
        }
        let bytes = try zip.read(entry, bytesMax: FarmLimits.manifestBytesMax)
        let prefix = entry.path.dropLast(Self.manifestName.count)
        self.init(
            manifest: try PortableManifest(parsing: bytes, origin: origin),
            origin: origin,
            changes: {
                guard let entry = zip.entry(prefix + Self.summaryName) else { return nil }
                return try Self.changes(
                    zip.read(entry, bytesMax: FarmLimits.manifestBytesMax),
                    origin: origin
                )
            }
        ) { picture in
            guard let file = picture.files["failed"], let entry = zip.entry(prefix + file) else {
                return nil
            }
            return try zip.read(entry, bytesMax: FarmLimits.pictureBytesMax)
        }
    }

    private static func changes(_ bytes: Data, origin: String) throws -> [ChangeSummary]? {
        struct Summary: Decodable { var changes: [ChangeSummary]? }
        do {
            return try JSONDecoder().decode(Summary.self, from: bytes).changes
        } catch {
            throw ReviewRefusal.notOurs(origin: origin, fact: "its summary is not that of a run")
        }
    }

    private static func inner(_ zip: ZipReader) -> ZipReader.Entry? {
        let inner = zip.entries.filter { $0.path == zipName || $0.path.hasSuffix("/\(zipName)") }
        return inner.count == 1 ? inner.first : nil
    }
}

// MARK: a ledger

extension ReviewedRun {
    /// A run as it was judged; `reference` reads the bytes of one, nil where it is not there.
    package init(
        _ judged: JudgedRun,
        of plan: Plan,
        blobs: BlobStore,
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
            changes: { judged.summary.changes }
        ) { entry in
            guard let digest = Digest(entry.capture) else { return nil }
            if blobs.contains(digest) { return try blobs.read(digest) }
            // It equals its reference byte for byte, so it was never uploaded.
            guard let sources = judged.pictures[entry.snapshot], sources.captureIsReference,
                let object = sources.reference
            else { return nil }
            return try reference(object)
        }
    }

    /// A run of a ledger.
    ///
    /// - Throws: `LedgerError.noRun`, and `ReviewRefusal.incomplete` for a run that is still open.
    package init(
        run id: RunID,
        in ledger: some Ledger,
        blobs: BlobStore,
        reference: @escaping @Sendable (ObjectID) throws -> Data?
    ) async throws {
        let record = try await ledger.run(id)
        guard let judged = try await ledger.judged(id) else {
            throw ReviewRefusal.incomplete(run: id.text, state: .running, cells: [])
        }
        self.init(judged, of: record.plan, blobs: blobs, reference: reference)
    }
}
