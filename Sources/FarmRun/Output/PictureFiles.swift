// Writes pictures into the output folder: reference, failed and diff of pictures that are not as expected
// below `FailureDiffs/`, any other current picture below `captures/`. An unstable picture has another
// take beside it, and the difference is that between the two.
//
// Pictures with equal bytes share one file below `FailureDiffs/` and in the zip.
import FarmArtifacts
import FarmCore
import FarmImaging
import FarmReferences
import Foundation

struct PictureFiles {
    /// The output folder; nil: nothing is placed, only named.
    let folder: String?
    let sources: OutputSources
    let mode: RunMode
    /// Entries of the zip, without the leading `FailureDiffs/`.
    private(set) var diffs: [(path: String, digest: Digest)] = []
    /// Paths of files below `FailureDiffs/` by the digest of their bytes, relative to the output folder.
    private var places: [Digest: String] = [:]
    /// What was placed or named, by path.
    private(set) var named: [String: Digest] = [:]
    /// Files that the output folder does not take.
    private var unplaced = 0
    /// References that were put among the blobs together.
    private var kept: [ObjectID: Digest] = [:]
    private var firstUnplaced: (name: String, reason: String)?

    /// From so many references on one flush of the whole file system costs less than theirs.
    private static let flushedTogetherMin = 50

    init(folder: String?, sources: OutputSources, mode: RunMode) {
        self.folder = folder
        self.sources = sources
        self.mode = mode
    }

    /// That some pictures lie in no folder; nil where all do.
    var problem: Problem? {
        firstUnplaced.map { first in
            Problem(
                code: "pictures-not-placed",
                message: "\(unplaced) files of pictures have no place in the output folder, first "
                    + "\(first.name.prefix(300).debugDescription): \(first.reason).",
                remedy: "Choose another folder with --output, or rename the suite or the snapshot; "
                    + "FailureDiffs.zip has what differs."
            )
        }
    }

    /// Puts the references that the files of snapshots need among the blobs, where they are many.
    ///
    /// A job on a fresh machine has thousands, and each by itself would wait for the disk.
    mutating func keepReferences(
        of snapshots: [SnapshotSummary],
        _ pictures: [String: PictureSources]
    ) throws {
        let objects = try snapshots.compactMap { snapshot in
            try pictures[snapshot.id].flatMap { try neededReference(of: snapshot, $0) }
        }
        guard objects.count >= Self.flushedTogetherMin else { return }
        var kept = kept
        try sources.blobs.putTogether { put in
            for object in objects where kept[object] == nil {
                kept[object] = try sources.reference(object).map { try put($0) }
            }
        }
        self.kept = kept
    }

    private func neededReference(
        of snapshot: SnapshotSummary,
        _ picture: PictureSources
    ) throws -> ObjectID? {
        let isKept = try picture.capture.map { try sources.blobs.contains($0) } ?? true
        let isShown = isDifference(snapshot.verdict) && picture.referenceBlob == nil
        return isShown || (picture.captureIsReference && !isKept) ? picture.reference : nil
    }

    /// Places the files of one snapshot; returns their paths relative to the output folder.
    ///
    /// One that has no place there keeps no other from its own.
    mutating func place(
        _ snapshot: SnapshotSummary,
        _ picture: PictureSources
    ) throws -> [String: String] {
        let capture = try captureDigest(picture)
        var files =
            isDifference(snapshot.verdict)
            ? try placeDifference(snapshot, picture, capture) : [:]
        files["capture"] = files["failed"]
        if let capture, files["capture"] == nil {
            let name = "captures/\(snapshot.id).png"
            if try link(capture, to: name) { files["capture"] = name }
        }
        return files
    }

    private mutating func placeDifference(
        _ snapshot: SnapshotSummary,
        _ picture: PictureSources,
        _ capture: Digest?
    ) throws -> [String: String] {
        var files: [String: String] = [:]
        let base = "\(snapshot.job)/\(snapshot.cell)/\(snapshot.suite)/"
        var reference = picture.referenceBlob
        if reference == nil, let object = picture.reference { reference = try blob(of: object) }
        let other = try picture.earlier.flatMap { try sources.blobs.contains($0) ? $0 : nil }
        let diff = try other.map { try difference($0, capture) } ?? picture.diff
        for (role, digest) in [
            ("reference", reference), ("other", other), ("failed", capture), ("diff", diff),
        ] {
            guard let digest else { continue }
            if places[digest] == nil {
                let name = base + "\(role)_\(snapshot.name).png"
                diffs.append((name, digest))
                let file = "FailureDiffs/" + name
                if try link(digest, to: file) { places[digest] = file }
            }
            files[role] = places[digest]
        }
        return files
    }

    /// False where the file system takes no such name.
    private mutating func link(_ digest: Digest, to name: String) throws -> Bool {
        do throws(ArtifactError) {
            if let folder { try sources.blobs.link(digest, to: OutputTree(folder).place(name)) }
            named[name] = digest
            return true
        } catch {
            let reason: String
            switch error {
            case .system(_, _, let text): reason = text
            case .unsafePath: reason = "its path is not safe"
            default: throw error
            }
            unplaced += 1
            firstUnplaced = firstUnplaced ?? (name, reason)
            return false
        }
    }

    /// A record run is meant to make new and changed pictures.
    private func isDifference(_ verdict: Verdict) -> Bool {
        mode == .record ? ![.passed, .new, .changed].contains(verdict) : verdict != .passed
    }

    private func captureDigest(_ picture: PictureSources) throws -> Digest? {
        guard let capture = picture.capture else { return nil }
        if try sources.blobs.contains(capture) { return capture }
        // It equals its reference byte for byte, so it was never uploaded.
        guard picture.captureIsReference, let object = picture.reference else { return nil }
        return try blob(of: object)
    }

    /// What differs between two takes of an unstable picture; nil where one of them is broken.
    private func difference(_ take: Digest, _ last: Digest?) throws -> Digest? {
        guard let last else { return nil }
        let (take, capture) = (try sources.blobs.read(take), try sources.blobs.read(last))
        guard
            case .differing(let one, let two, _)? = try? ExaminedPair(
                reference: take,
                capture: capture
            ),
            let pair = try? ExplainedPair(
                reference: one,
                capture: two,
                choice: ComparisonChoice(.exact)
            )
        else { return nil }
        return try sources.blobs.put(Data(try pair.diff()))
    }

    /// The reference among the blobs, where it is put once and linked for ever.
    private func blob(of object: ObjectID) throws -> Digest? {
        try kept[object] ?? sources.reference(object).map { try sources.blobs.put($0) }
    }
}
