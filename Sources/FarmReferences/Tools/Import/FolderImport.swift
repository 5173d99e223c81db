// Imports references from the present files of a work tree.
import FarmCore
import FarmFiles
import Foundation

/// An import from the files of a work tree.
package struct FolderImport: Sendable {
    private let root: GuardedFolder
    private let settings: ImportSettings

    /// A number of seconds longer than a tick of any file system's clock (FAT: two seconds).
    private static let tickSecondsMax = 3.0

    /// Makes an import of the main repository at `root`; paths in origins are relative to it.
    package init(root: String, settings: ImportSettings) {
        self.root = GuardedFolder(root)
        self.settings = settings
    }

    /// Returns the tools that have references in the work tree and whose scenes snapfarm draws
    /// itself, sorted by name.
    package func replacedTools() throws -> [VisualTool] {
        let files = try FolderListing(of: root, below: settings.folder).files
        return Set(files.compactMap(settings.replacedTool)).sorted { $0.rawValue < $1.rawValue }
    }

    /// Reads and checks every picture and plans the import; writes nothing.
    package func plan() throws -> ImportPlan {
        let listing = try FolderListing(of: root, below: settings.folder)
        var plan = ImportPlan()
        for (paths, fault) in [
            (listing.links, ImportFault.link), (listing.specials, .special),
            (listing.unreadable, .nameNotUTF8),
        ] {
            for path in paths where settings.concerns(path) {
                plan.unmapped.append(UnusablePicture(path, fault))
            }
        }
        var names = ImportedNames()
        // A later change has a later time, except within one tick of the file system's clock.
        let settledBefore = Int64((Date().timeIntervalSince1970 - Self.tickSecondsMax) * 1e9)
        for path in listing.files {
            let id: SnapshotID
            do {
                guard let found = try settings.id(of: path) else { continue }
                id = found
            } catch let error as any ExplainedError {
                plan.unmapped.append(UnusablePicture(path, error))
                continue
            }
            do {
                try names.add(id, path: path)
                let (bytes, status) = try root.readFile(
                    path,
                    bytesMax: FarmLimits.pictureBytesMax
                )
                try PictureFile.check(bytes)
                let object = ObjectID(ofBlob: bytes)
                if status.modifiedNanoseconds < settledBefore {
                    plan.files[path] = CheckoutManifest.File(
                        id: id,
                        objectID: object,
                        status: status
                    )
                }
                plan.origins.add(id, path: path)
                plan.pictures.append(
                    ImportedPicture(
                        path: path,
                        id: id,
                        objectID: object,
                        bytes: bytes.count
                    )
                )
            } catch let error as any ExplainedError {
                guard error.exit != .inputOutput else { throw error }
                plan.refused.append(UnusablePicture(path, error))
            }
        }
        plan.pictures.sort { $0.id < $1.id }
        plan.unmapped.sort { $0.path < $1.path }
        return plan
    }

    /// Records the pictures of the plan; returns the new set.
    ///
    /// - Throws: `ImportFault.refused` if the plan refuses a picture.
    package func record(
        _ plan: ImportPlan,
        over base: ReferencePin,
        to store: ReferenceStore
    ) throws -> RecordedSet {
        if let first = plan.refused.first {
            throw ImportFault.refused(count: plan.refused.count, first: first.path)
        }
        var paths: [ObjectID: String] = [:]
        for picture in plan.pictures { paths[picture.objectID] = picture.path }
        do {
            return try store.record(base: base, recordings: plan.recordings(settings)) { picture in
                try root.read(paths[picture.objectID] ?? "", bytesMax: FarmLimits.pictureBytesMax)
            }
        } catch ReferenceStoreError.bytesDiffer(_, let expected, _) {
            // The store hashes the bytes that it gets; checking here again would cost a third more
            // time.
            throw ImportFault.changedMeanwhile(path: paths[expected] ?? "")
        }
    }
}

extension ImportSettings {
    /// Whether a path, not of a regular file, is where the import expects references.
    fileprivate func concerns(_ path: String) -> Bool {
        guard folder.isEmpty || below(folder, path) != nil else { return false }
        if case .elsewhere = source.place(of: path) { return false }
        return true
    }
}

/// The ids of an import, used to refuse a second picture with the same id.
struct ImportedNames {
    private var paths: [SnapshotID: String] = [:]
    private var folded: [String: SnapshotID] = [:]

    mutating func add(_ id: SnapshotID, path: String) throws(ImportFault) {
        if let other = paths[id] { throw .duplicate(id, other: other) }
        // Folds as `PathCollisions` does, but the whole path at once: the store also checks the
        // folders.
        let key = id.text.uppercased().lowercased()
        if let other = folded[key], let path = paths[other] { throw .collision(id.text, path) }
        paths[id] = path
        folded[key] = id
    }

    mutating func remove(_ id: SnapshotID) {
        paths[id] = nil
        folded[id.text.uppercased().lowercased()] = nil
    }

    func path(of id: SnapshotID) -> String? { paths[id] }
}
