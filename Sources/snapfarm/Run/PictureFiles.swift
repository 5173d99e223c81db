// Where each picture lies in the output folder: every current picture below `captures/`, and
// reference, failed and diff of what is not as expected below `FailureDiffs/`.
import FarmArtifacts
import FarmCore
import FarmReferences
import Foundation

struct PictureFiles {
    /// The output folder; nil: nothing is placed, only named.
    let folder: String?
    let blobs: BlobStore
    /// Nil where no snapshot job ran.
    let store: ReferenceStore?
    let mode: RunMode
    /// Entries of the zip, without the leading `FailureDiffs/`.
    private(set) var diffs: [(path: String, digest: Digest)] = []

    init(folder: String?, blobs: BlobStore, store: ReferenceStore?, mode: RunMode) {
        self.folder = folder
        self.blobs = blobs
        self.store = store
        self.mode = mode
    }

    /// Places the files of one snapshot; returns their paths relative to the output folder.
    mutating func place(
        _ snapshot: SnapshotSummary,
        _ sources: PictureSources
    ) throws -> [String: String] {
        var files: [String: String] = [:]
        let capture = try captureDigest(sources)
        if let capture {
            let name = "captures/\(snapshot.id).png"
            if let folder { try blobs.link(capture, to: folder + "/" + name) }
            files["capture"] = name
        }
        guard isDifference(snapshot.verdict) else { return files }
        let base = "\(snapshot.job)/\(snapshot.cell)/\(snapshot.suite)/"
        var reference = sources.referenceBlob
        if reference == nil, let object = sources.reference { reference = try blob(of: object) }
        for (role, digest) in [
            ("reference", reference), ("failed", capture), ("diff", sources.diff),
        ] {
            guard let digest else { continue }
            let name = base + "\(role)_\(snapshot.name).png"
            if let folder { try blobs.link(digest, to: folder + "/FailureDiffs/" + name) }
            diffs.append((name, digest))
            files[role] = "FailureDiffs/" + name
        }
        return files
    }

    /// A record run is meant to make new and changed pictures.
    private func isDifference(_ verdict: Verdict) -> Bool {
        mode == .record ? ![.passed, .new, .changed].contains(verdict) : verdict != .passed
    }

    private func captureDigest(_ sources: PictureSources) throws -> Digest? {
        guard let capture = sources.capture else { return nil }
        if blobs.contains(capture) { return capture }
        // It equals its reference byte for byte, so it was never uploaded.
        guard sources.captureIsReference, let object = sources.reference else { return nil }
        return try blob(of: object)
    }

    /// The reference among the blobs, where it is put once and linked for ever.
    private func blob(of object: ObjectID) throws -> Digest? {
        guard let store else { return nil }
        return try blobs.put(try store.read(object))
    }
}
