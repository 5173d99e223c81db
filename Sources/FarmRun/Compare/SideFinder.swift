// The search for a side by its name. A name that exists as a path is a path; other names are those
// of reference sets, as the `refs` commands take them.
import FarmCore
import FarmDrivers
import FarmReferences
import FarmReports
import FarmReview
import Foundation

/// Finds the pictures that a side's name stands for.
struct SideFinder {
    /// A found side.
    enum Found {
        /// A single file, which should be a picture.
        case picture(PathBytes)
        case side(ComparedSide)
    }

    /// Returns the place of the references; called when the first name is no path.
    let place: @Sendable () throws -> ReferencePlace

    /// Finds a side by the name that the user gave it.
    ///
    /// - Throws: `CompareError.unknown` for a name that is neither a path nor a reference set.
    func find(_ name: String) throws -> Found {
        let kind: InputKind
        do throws(CompareError) {
            kind = try InputKind(of: name)
        } catch .missing {
            return .side(try references(name))
        }
        switch kind {
        case .folder where Self.isRun(name): return .side(try run(name))
        case .folder:
            return .side(
                ComparedSide(
                    source: .files(below: Array(name.utf8)),
                    title: SideTitle(name: name, kind: .folder)
                )
            )
        case .file where Self.isZip(name): return .side(try run(name))
        case .file where Self.isPin(name): return .side(try references(name))
        case .file: return .picture(PathBytes(name))
        }
    }

    /// Finds a reference set by its id, a revision of the main repository or a pin file.
    func references(_ name: String?) throws -> ComparedSide {
        do {
            let place = try place()
            let pin = try place.pin(named: name, in: try place.store())
            let store = try place.store(holding: pin)
            return try ComparedSide(
                PinnedReferences(pin: pin, store: store, place: place),
                name: name ?? (place.pinPath as NSString).lastPathComponent
            )
        } catch let error as any ExplainedError {
            guard let name else { throw error }
            throw CompareError.unknown(name, cause: error)
        }
    }

    private func run(_ path: String) throws -> ComparedSide {
        let scratch = try OwnedFolder("compare")
        // The files stay readable through open descriptors, which outlive their names.
        defer { scratch.remove() }
        let run = try ReviewedRun(from: path, origin: path, scratch: scratch.path)
        guard let summary = try run.summary(), summary.isProven else {
            return try ComparedSide(run, name: path)
        }
        do {
            let place = try place()
            let pin = run.manifest.pin
            let store = try place.store(holding: pin)
            return try ComparedSide(proven: summary, pin, in: store, name: path)
        } catch let error as any ExplainedError {
            throw CompareError.noPictures(path, run: summary.run.id, cause: error)
        }
    }

    /// Whether a folder is the output of a run, or only its `FailureDiffs`.
    private static func isRun(_ folder: String) -> Bool {
        let files = FileManager.default
        let manifest = folder + "/" + KeptFiles.manifest
        return files.fileExists(atPath: "\(folder)/\(KeptFiles.diffs)/\(KeptFiles.manifest)")
            || files.fileExists(atPath: manifest)
                && files.fileExists(atPath: folder + "/" + KeptFiles.summary)
    }

    /// Whether a file begins as a zip does (APPNOTE 4.3.7).
    private static func isZip(_ path: String) -> Bool {
        FileHandle(forReadingAtPath: path)?.readData(ofLength: 4) == Data([0x50, 0x4B, 3, 4])
    }

    /// Whether a file is the pin of some references.
    private static func isPin(_ path: String) -> Bool {
        guard !PathBytes(path).isPicture,
            let bytes = FileHandle(forReadingAtPath: path)?
                .readData(ofLength: ReferencePin.bytesMax + 1),
            let pin = try? ReferencePin(parsing: bytes, file: path)
        else { return false }
        return !pin.isEmpty
    }
}
