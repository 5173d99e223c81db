// The kinds of a side that are no plain folder: the captures of a run, and the references of a pin.
import FarmArtifacts
import FarmCore
import FarmReferences
import FarmReports
import FarmReview
import Foundation

/// A pin and the store that has its references.
struct PinnedReferences: Sendable {
    let pin: ReferencePin
    let store: ReferenceStore
    let place: ReferencePlace
}

extension SnapshotID {
    /// The path of the picture on a side of a comparison.
    fileprivate var sidePath: PathBytes { PathBytes(path) }
}

// MARK: references

extension ComparedSide {
    /// Makes the side of the references of a pin; `name` is the user's name of the pin.
    init(_ references: PinnedReferences, name: String) throws {
        // Only pictures are compared here.
        let all = try references.store.references(references.pin).filter { !$0.id.isText }
        let objects = Dictionary(all.map { ($0.id.sidePath, $0.objectID) }) { first, _ in first }
        let store = references.store
        let known = references.place.cells.map { CellSummary($0) }
        let listed = Set(known.map(\.id))
        self.init(
            source: .kept { path in
                guard let object = objects[path] else { throw PictureFileError.missing }
                return try store.read(object)
            },
            title: SideTitle(name: name, kind: .set(references.pin.setID.hex)),
            paths: objects.keys.sorted(),
            identities: objects.mapValues(\.hex),
            cells: known
                + references.pin.cells.filter { !listed.contains($0.text) }.map {
                    CellSummary(Cell(id: $0, device: nil, variant: []))
                },
            references: references
        )
    }
}

// MARK: runs

/// The error of a picture that a run's kept files do not have.
private struct CaptureNotKept: ExplainedError {
    let path: PathBytes
    let origin: String

    var code: String { "capture-not-kept" }
    var message: String { "\(path.shown): \(origin) has no bytes of it." }
    var remedy: String {
        "A FailureDiffs.zip has only what differed; name the run's whole output folder instead."
    }
    var exit: ExitCode { .invalidInput }
}

extension ComparedSide {
    /// Makes the side of a run's captures.
    ///
    /// A capture that the files lack is still a picture of the run: it differs from no picture with
    /// the same digest, and cannot be compared with others.
    ///
    /// - Throws: `ReviewRefusal.notOurs` for files without a summary.
    init(_ run: ReviewedRun, name: String) throws {
        guard let summary = try run.summary(), case .kept(let files) = run.source else {
            let fact = "holds no \(KeptFiles.summary), so its pictures are not known"
            throw ReviewRefusal.notOurs(origin: run.origin, fact: fact)
        }
        var captures: [PathBytes: (digest: Digest, file: String?)] = [:]
        for row in summary.snapshots {
            guard let id = SnapshotID(exactly: row.id), !id.isText, let digest = Digest(row.capture)
            else { continue }
            captures[id.sidePath] = (digest, row.files["failed"] ?? row.files["capture"])
        }
        let kept = captures
        if !summary.isWhole {
            Console.say(
                "\(name): run \(summary.run.id) did not make all pictures of its pipeline; the "
                    + "others count as added or removed"
            )
        }
        self.init(
            source: .kept { path in
                guard let capture = kept[path] else { throw PictureFileError.missing }
                return try files.capture(capture.digest, at: capture.file, path, run.origin)
            },
            title: SideTitle(name: name, kind: summary.sideKind),
            paths: captures.keys.sorted(),
            identities: captures.mapValues { "\($0.digest)" },
            cells: summary.cells
        )
    }
}

extension ComparedSide {
    /// Makes the side of a run that ran no test: its pictures are the references of its pin.
    init(proven summary: RunSummary, _ pin: ReferencePin, in store: ReferenceStore, name: String)
        throws
    {
        let cells = Set(summary.cells.map(\.id))
        var objects: [PathBytes: ObjectID] = [:]
        var identities: [PathBytes: String] = [:]
        for reference in try store.references(pin)
        where cells.contains(reference.id.cell.text) && !reference.id.isText {
            let path = reference.id.sidePath
            objects[path] = reference.objectID
            // The digest is what another run knows of a picture.
            identities[path] = "\(Digest(of: try store.read(reference.objectID)))"
        }
        let known = objects
        self.init(
            source: .kept { path in
                guard let object = known[path] else { throw PictureFileError.missing }
                return try store.read(object)
            },
            title: SideTitle(name: name, kind: summary.sideKind),
            paths: objects.keys.sorted(),
            identities: identities,
            cells: summary.cells
        )
    }
}

extension RunSummary {
    fileprivate var sideKind: SideTitle.Kind {
        .run(id: run.id, commit: run.commit, isWhole: isWhole)
    }

    /// Whether the run made all pictures of its pipeline.
    fileprivate var isWhole: Bool {
        [.passed, .failed].contains(state) && run.partName == nil && cells.allSatisfy(\.complete)
            && counts.inherited == 0
    }
}

extension KeptFiles {
    /// Reads a capture, whose bytes match the digest in the run's summary.
    fileprivate func capture(
        _ digest: Digest,
        at file: String?,
        _ path: PathBytes,
        _ origin: String
    ) throws -> Data {
        let bytes = try file.flatMap { try self.bytes($0, bytesMax: FarmLimits.pictureBytesMax) }
        guard let bytes else { throw CaptureNotKept(path: path, origin: origin) }
        let actual = Digest(of: bytes)
        guard actual == digest else {
            guard let id = SnapshotID(exactly: String(path.text.dropLast(4))) else {
                throw PictureFileError.missing
            }
            throw ReviewRefusal.wrongDigest(id, expected: digest, actual: actual, origin: origin)
        }
        return bytes
    }
}
