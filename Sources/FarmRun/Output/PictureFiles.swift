// Places pictures in the output folder: reference, failed and diff of unexpected pictures below
// `FailureDiffs/`, all other current pictures below `captures/`. An unstable picture also has
// another take, and its difference is between the two takes.
//
// Pictures with equal bytes share one file below `FailureDiffs/` and in the zip.
import FarmArtifacts
import FarmCore
import FarmImaging
import FarmReferences
import Foundation

struct PictureFiles {
    /// The path of the output folder; if `nil`, files are only named and not written.
    let folder: String?
    let sources: OutputSources
    let mode: RunMode
    /// The pictures of the zip, with their paths without the leading `FailureDiffs/`.
    private(set) var diffs: [(path: String, digest: Digest)] = []
    /// The paths below `FailureDiffs/`, relative to the output folder, by the digest of the file's
    /// bytes.
    private var places: [Digest: String] = [:]
    /// The digests of the files that were placed or named, by path.
    private(set) var named: [String: Digest] = [:]
    /// The number of files that the output folder could not take.
    private var unplaced = 0
    /// The digests of the references that were stored as blobs together, by object id.
    private var kept: [ObjectID: Digest] = [:]
    private var firstUnplaced: (name: String, reason: String)?

    /// The least number of references for one flush of the whole file system, which then costs less
    /// than one flush each.
    private static let flushedTogetherMin = 50

    init(folder: String?, sources: OutputSources, mode: RunMode) {
        self.folder = folder
        self.sources = sources
        self.mode = mode
    }

    /// The problem that some pictures could not be placed, or `nil` if all were.
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

    /// Stores the needed references of snapshots as blobs, together if they are many.
    ///
    /// A job on a fresh machine has thousands, and each alone would wait for the disk.
    mutating func keepReferences(
        of snapshots: [SnapshotSummary],
        _ pictures: [String: PictureSources]
    ) throws {
        let objects = try snapshots.compactMap { snapshot in
            try pictures[snapshot.id].flatMap { try neededReference(of: snapshot, $0) }
        }
        guard objects.count >= Self.flushedTogetherMin else { return }
        var kept = kept
        try sources.blobs.putInBatch { put in
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

    /// Places the files of one snapshot, and returns their paths relative to the output folder.
    ///
    /// A file that cannot be placed does not affect the others.
    mutating func place(
        _ snapshot: SnapshotSummary,
        _ picture: PictureSources
    ) throws -> [String: String] {
        let capture = try captureDigest(picture)
        var files =
            isDifference(snapshot.verdict)
            ? try placeDifference(snapshot, picture, capture) : [:]
        for (kind, digest) in try companions(of: snapshot) {
            let isShown = isDifference(snapshot.verdict)
            files[kind.rawValue] = try placeCompanion(digest, kind, snapshot, isShown)
        }
        files["capture"] = files["failed"]
        if let capture, files["capture"] == nil {
            let name =
                "captures/\(snapshot.cell)/\(snapshot.suite)/\(SnapshotFile.file(of: snapshot.name))"
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
        let diff =
            try other.map {
                try difference($0, capture, snapshot.isText ? TextRule(isJSON: false) : nil)
            } ?? picture.diff
        for (role, digest) in [
            ("reference", reference), ("other", other), ("failed", capture), ("diff", diff),
        ] {
            guard let digest else { continue }
            if places[digest] == nil {
                let name = base + snapshot.file(of: role)
                diffs.append((name, digest))
                let file = "FailureDiffs/" + name
                if try link(digest, to: file) { places[digest] = file }
            }
            files[role] = places[digest]
        }
        return files
    }

    /// Returns the stored companions of a picture.
    private func companions(of snapshot: SnapshotSummary) throws -> [(CompanionKind, Digest)] {
        try CompanionKind.allCases.compactMap { kind in
            guard let digest = snapshot.companions?[kind.rawValue].flatMap({ Digest($0) }),
                try sources.blobs.contains(digest)
            else { return nil }
            return (kind, digest)
        }
    }

    /// Places a companion beside the capture, in the zip if the picture `isShown` there.
    private mutating func placeCompanion(
        _ digest: Digest,
        _ kind: CompanionKind,
        _ snapshot: SnapshotSummary,
        _ isShown: Bool
    ) throws -> String? {
        guard isShown else {
            let name = "captures/\(snapshot.id)\(kind.fileEnding)"
            return try link(digest, to: name) ? name : nil
        }
        if places[digest] == nil {
            let name =
                "\(snapshot.job)/\(snapshot.cell)/\(snapshot.suite)/\(snapshot.name)\(kind.fileEnding)"
            diffs.append((name, digest))
            let file = "FailureDiffs/" + name
            if try link(digest, to: file) { places[digest] = file }
        }
        return places[digest]
    }

    /// Links a blob into the output folder under `name`; returns `false` if the file system refuses
    /// the name.
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

    /// Whether a picture with this verdict has a difference to show; in a record run, new and
    /// changed pictures are expected.
    private func isDifference(_ verdict: Verdict) -> Bool {
        mode == .record ? ![.passed, .new, .changed].contains(verdict) : !verdict.isAsExpected
    }

    private func captureDigest(_ picture: PictureSources) throws -> Digest? {
        guard let capture = picture.capture else { return nil }
        if try sources.blobs.contains(capture) { return capture }
        // The capture equals its reference byte for byte, so it was never uploaded.
        guard picture.captureIsReference, let object = picture.reference else { return nil }
        return try blob(of: object)
    }

    /// Returns the difference between two takes of an unstable picture, or `nil` if one of them is
    /// broken.
    ///
    /// `rule` is that of a text, or `nil` for a picture.
    private func difference(
        _ take: Digest,
        _ last: Digest?,
        _ rule: TextRule?
    ) throws -> Digest? {
        guard let last else { return nil }
        let (take, capture) = (try sources.blobs.read(take), try sources.blobs.read(last))
        if let rule {
            let diff = ComparedCapture(
                capture,
                reference: take,
                choice: ComparisonChoice(.exact, text: rule)
            ).diff
            return try diff.map { try sources.blobs.put($0) }
        }
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

    /// Returns the blob of a reference, which is stored once and then only linked; `nil` if the
    /// reference is not available.
    private func blob(of object: ObjectID) throws -> Digest? {
        try kept[object] ?? sources.reference(object).map { try sources.blobs.put($0) }
    }
}

extension SnapshotSummary {
    /// Returns the name of one of the snapshot's files; the difference of a text is a patch.
    fileprivate func file(of role: String) -> String {
        let file = SnapshotFile.file(of: name)
        return isText && role == "diff" ? "diff_\(file).diff" : "\(role)_\(file)"
    }
}
