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
    /// The capture of an entry, not checked yet; nil where it was not kept.
    private let capture: @Sendable (PortableManifest.Entry) throws -> Data?
    private let kept: KeptSummary

    /// Where the run's summary is, if it was kept.
    private enum KeptSummary {
        case value(RunSummary)
        /// Of the manifest, with a slash at its end.
        case folder(String)
        case zip(ZipReader, prefix: String)
    }

    private init(
        manifest: PortableManifest,
        origin: String,
        summary kept: KeptSummary,
        capture: @escaping @Sendable (PortableManifest.Entry) throws -> Data?
    ) {
        self.manifest = manifest
        self.origin = origin
        self.kept = kept
        self.capture = capture
    }

    /// What the run says of all its tests and pictures; nil where that was not kept.
    ///
    /// - Throws: `ReviewRefusal.notOurs` for a summary that is damaged, or of another run.
    package func summary() throws -> RunSummary? {
        if case .value(let summary) = kept { return summary }
        guard let bytes = try summaryBytes() else { return nil }
        guard let summary = try? JSONDecoder().decode(RunSummary.self, from: bytes),
            summary.run.id == manifest.run.id
        else {
            throw ReviewRefusal.notOurs(
                origin: origin,
                fact: "its \(Self.summaryName) is not that of run \(manifest.run.id)"
            )
        }
        return summary
    }

    /// Ids of the pictures that show the changes of these ids.
    ///
    /// - Throws: `ReviewRefusal.unknownChanges`.
    func pictures(ofChanges ids: [String]) throws -> Set<String> {
        let changes = try summary()?.changes ?? []
        let known = Dictionary(changes.map { ($0.id, $0) }) { first, _ in first }
        let unknown = ids.filter { known[$0] == nil }
        guard unknown.isEmpty else {
            throw ReviewRefusal.unknownChanges(run: manifest.run.id, unknown)
        }
        return Set(ids.flatMap { known[$0]?.snapshots ?? [] })
    }

    /// Those beside the manifest, or beside the folder that the manifest lies in.
    private func summaryBytes() throws -> Data? {
        let bytesMax = FarmLimits.manifestBytesMax
        switch kept {
        case .value: return nil
        case .folder(let prefix):
            let found = Self.summaryPlaces(beside: prefix).lazy.compactMap {
                try? BoundedFile.read($0, bytesMax: bytesMax)
            }
            return found.first
        case .zip(let zip, let prefix):
            let entry = Self.summaryPlaces(beside: prefix).lazy.compactMap(zip.entry).first
            return try entry.map { try zip.read($0, bytesMax: bytesMax) }
        }
    }

    private static func summaryPlaces(beside prefix: String) -> [String] {
        let own = prefix + summaryName
        let isInside = prefix.hasSuffix("\(folderName)/")
        return isInside ? [own, prefix.dropLast(folderName.count + 1) + summaryName] : [own]
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
                summary: .folder(candidate + "/")
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
            summary: .zip(zip, prefix: String(prefix))
        ) { picture in
            guard let file = picture.files["failed"], let entry = zip.entry(prefix + file) else {
                return nil
            }
            return try zip.read(entry, bytesMax: FarmLimits.pictureBytesMax)
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
            summary: .value(judged.summary)
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
