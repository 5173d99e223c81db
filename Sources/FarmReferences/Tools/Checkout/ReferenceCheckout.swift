// Puts references where the test frameworks expect them, so that tests on a developer's machine
// find them.
//
// Files are copies with write permission, not links into the cache. A recorder may write in place
// (swift-snapshot-testing does); through a link, that would change the cache and all other places
// of the picture.
//
// Invariants
//   - A local edit is never overwritten or removed without `force`.
//   - A file that the main repository tracks is never removed.
//   - The manifest is written last: after a crash, the next checkout keeps files that are correct.
import FarmCore
import FarmFiles
import Foundation

/// A file that the checkout does not touch, with the reason.
package struct CheckoutConflict: Hashable, Sendable, Codable {
    package enum Reason: String, Hashable, Sendable, Codable {
        /// The file was changed since the checkout, or is not from a checkout.
        case edited
        /// The file was changed, and the set no longer contains it.
        case editedAndDropped
        /// The path is a link, a folder or a special file. `force` does not replace it either.
        case notAFile
    }

    package var path: String
    package var reason: Reason
}

/// The plan of a checkout; nothing has been changed yet.
package struct CheckoutPlan: Sendable, Codable {
    /// A file to write, with the status of the present file when the plan was made.
    package struct Write: Sendable, Codable, Hashable {
        package var reference: PlacedReference
        var present: FileStatus?
    }

    package var pin: ObjectID
    package var layout: ReferenceLayout
    package var cells: [CellID]
    package var writes: [Write] = []
    /// The files to remove: unchanged since the checkout, and no longer in the set.
    package var removals: [String] = []
    /// Files that the set no longer contains but the main repository tracks.
    ///
    /// They stay in place and in the manifest.
    package var tracked: [String] = []
    package var conflicts: [CheckoutConflict] = []
    /// The references for which the layout has no path.
    package var unplaced: [SnapshotID]
    /// The files that stay, by path: files that are correct already, and edited files with the
    /// reference that was checked out.
    var kept: [String: CheckoutManifest.File] = [:]

    package var keptCount: Int { kept.count - tracked.count }
}

/// The checkout of references in one work tree of the main repository.
package struct ReferenceCheckout: Sendable {
    let workTree: GuardedFolder

    package init(workTree: String) { self.workTree = GuardedFolder(workTree) }

    /// Returns the manifest of the checkout, or `nil` if the work tree has no checkout.
    package func manifest() throws -> CheckoutManifest? {
        try CheckoutManifest.read(in: workTree)?.manifest
    }

    /// Plans which files to write, keep and remove; changes nothing.
    ///
    /// With `force`, local edits are overwritten and removed. Untouched files of `known` are not
    /// hashed again. `isTracked` returns whether Git tracks a path.
    ///
    /// - Throws: the errors of `ReferenceLayout.place`, `CheckoutError`, `GuardedFolderError`.
    package func plan(
        pin: ReferencePin,
        cells: [CellID],
        layout: ReferenceLayout,
        references: [Reference],
        force: Bool,
        known: [String: CheckoutManifest.File] = [:],
        isTracked: (String) -> Bool = { _ in false }
    ) throws -> CheckoutPlan {
        let (placed, unplaced) = try layout.place(references)
        let old = try LocalFiles(in: workTree, known: known)
        var plan = CheckoutPlan(
            pin: pin.fingerprint,
            layout: layout,
            cells: cells.sorted(),
            unplaced: unplaced
        )
        for reference in placed {
            try add(reference, old: old, force: force, to: &plan)
        }
        let wanted = Set(placed.map(\.path))
        for (path, file) in old.files.sorted(by: { $0.key < $1.key }) where !wanted.contains(path) {
            switch try old.look(path) {
            case .missing: break
            case .other: plan.conflicts.append(CheckoutConflict(path: path, reason: .notAFile))
            case .picture(let object, _):
                if isTracked(path) {
                    plan.tracked.append(path)
                    plan.kept[path] = file
                } else if object == file.objectID || force {
                    plan.removals.append(path)
                } else {
                    plan.conflicts.append(CheckoutConflict(path: path, reason: .editedAndDropped))
                }
            }
        }
        return plan
    }

    private func add(
        _ reference: PlacedReference,
        old: LocalFiles,
        force: Bool,
        to plan: inout CheckoutPlan
    ) throws {
        let path = reference.path
        let before = old.files[path]
        switch try old.look(path) {
        case .missing: plan.writes.append(CheckoutPlan.Write(reference: reference, present: nil))
        case .other: plan.conflicts.append(CheckoutConflict(path: path, reason: .notAFile))
        case .picture(reference.objectID, let status):
            plan.kept[path] = CheckoutManifest.File(
                id: reference.id,
                objectID: reference.objectID,
                status: status
            )
        case .picture(let object, let status):
            if object == before?.objectID || force {
                plan.writes.append(CheckoutPlan.Write(reference: reference, present: status))
            } else {
                plan.conflicts.append(CheckoutConflict(path: path, reason: .edited))
                // Keeps the reference that was edited, so that `commit` sees both sides.
                plan.kept[path] = before
            }
        }
    }

    /// Carries out the plan; returns the new manifest.
    ///
    /// - Throws: `CheckoutError.changedMeanwhile` if a file has changed since the plan was made.
    @discardableResult
    package func apply(
        _ plan: CheckoutPlan,
        read: (ObjectID) throws -> Data
    ) throws -> CheckoutManifest {
        var manifest = CheckoutManifest(
            pin: plan.pin,
            layout: plan.layout,
            cells: plan.cells,
            files: plan.kept
        )
        var folders = RecentFolder(in: workTree)
        for write in plan.writes {
            let reference = write.reference
            let bytes = try read(reference.objectID)
            let actual = ObjectID(ofBlob: bytes)
            guard actual == reference.objectID else {
                throw CheckoutError.bytesDiffer(reference.id, actual: actual)
            }
            let (folder, name) = GuardedFolder.split(reference.path)
            let open = try folders.at(folder)
            let now = try open.status(name)
            guard now.isSame(as: write.present) else {
                throw CheckoutError.changedMeanwhile(path: reference.path)
            }
            manifest.files[reference.path] = CheckoutManifest.File(
                id: reference.id,
                objectID: reference.objectID,
                status: try open.write(name, bytes, mode: 0o644)
            )
        }
        for path in plan.removals {
            let (folder, name) = GuardedFolder.split(path)
            try workTree.open(folder, making: false)?.remove(name)
            // Fails if the folder has other files, and the folder stays.
            if !folder.isEmpty { rmdir("\(workTree.path)/\(folder)") }
        }
        try manifest.write(to: workTree)
        return manifest
    }
}

extension FileStatus? {
    fileprivate func isSame(as other: FileStatus?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self.isUntouched(since: other)
    }
}

/// The checked-out files of a work tree in their present state.
struct LocalFiles {
    enum File {
        case missing
        case picture(ObjectID, FileStatus)
        /// The path is a link, a folder, a special file, or a file that is too large for a picture.
        case other
    }

    let manifest: CheckoutManifest?
    private let writtenNanoseconds: Int64
    private let known: [String: CheckoutManifest.File]
    private let workTree: GuardedFolder

    init(in workTree: GuardedFolder, known: [String: CheckoutManifest.File] = [:]) throws {
        let read = try CheckoutManifest.read(in: workTree)
        self.known = known
        manifest = read?.manifest
        writtenNanoseconds = read?.writtenNanoseconds ?? 0
        self.workTree = workTree
    }

    /// The files of the manifest, by path.
    var files: [String: CheckoutManifest.File] { manifest?.files ?? [:] }

    /// Returns the state of a file; hashes the file unless its status is unchanged.
    func look(_ path: String) throws -> File {
        guard let status = try workTree.status(path) else { return .missing }
        guard status.kind == .file, status.bytes <= FarmLimits.pictureBytesMax else {
            return .other
        }
        if let file = known[path], status.isUntouched(since: file.status) {
            return .picture(file.objectID, status)
        }
        // A change in the same tick of the clock as the manifest's would not change the time.
        if let file = files[path], status.isUntouched(since: file.status),
            status.modifiedNanoseconds < writtenNanoseconds
        {
            return .picture(file.objectID, status)
        }
        let bytes = try workTree.read(path, bytesMax: FarmLimits.pictureBytesMax)
        return .picture(ObjectID(ofBlob: bytes), status)
    }
}
