// The status of a checkout: the local edits of its references.
import FarmCore
import FarmFiles
import Foundation

/// A checked-out reference that was changed or deleted, or a new picture.
package struct CheckoutEdit: Hashable, Sendable, Codable {
    package var path: String
    package var id: SnapshotID
    /// The blob of the picture that was checked out, or `nil` for a new picture.
    package var base: ObjectID?
    /// The blob of the picture that is in the work tree now, or `nil` for a deleted picture.
    package var local: ObjectID?
}

/// A picture that cannot become a reference, with the reason.
package struct UnusablePicture: Hashable, Sendable, Codable {
    package var path: String
    /// The picture's snapshot, or `nil` if it is unknown.
    package var id: SnapshotID?
    package var reason: String
    package var remedy: String

    init(path: String, id: SnapshotID? = nil, reason: String, remedy: String) {
        self.path = path
        self.id = id
        self.reason = reason
        self.remedy = remedy
    }

    init(_ path: String, _ error: any ExplainedError, id: SnapshotID? = nil) {
        self.init(path: path, id: id, reason: error.message, remedy: error.remedy)
    }
}

/// The differences between a work tree and its manifest; every list is sorted by path.
package struct CheckoutStatus: Hashable, Sendable, Codable {
    package var modified: [CheckoutEdit] = []
    package var added: [CheckoutEdit] = []
    package var deleted: [CheckoutEdit] = []
    package var unusable: [UnusablePicture] = []
    package var untouchedCount = 0
    /// Whether the pin names other references than those that were checked out.
    package var pinMoved: Bool

    package var isClean: Bool {
        modified.isEmpty && added.isEmpty && deleted.isEmpty && unusable.isEmpty
    }
}

extension ReferenceCheckout {
    /// Compares the work tree with its manifest.
    ///
    /// `pin` is the work tree's present pin. `cells` are those of the pipeline: if several are
    /// checked out, they help to find the cell of a new picture.
    package func status(pin: ReferencePin, cells: [Cell]) throws -> CheckoutStatus {
        let local = try LocalFiles(in: workTree)
        guard let manifest = local.manifest else {
            throw CheckoutError.nothingCheckedOut(path: workTree.path)
        }
        var status = CheckoutStatus(pinMoved: manifest.pin != pin.fingerprint)
        for (path, file) in manifest.files.sorted(by: { $0.key < $1.key }) {
            var edit = CheckoutEdit(path: path, id: file.id, base: file.objectID, local: nil)
            switch try local.look(path) {
            case .missing: status.deleted.append(edit)
            case .other:
                let fault = GuardedFolderError.notAFile(path)
                status.unusable.append(UnusablePicture(path, fault, id: file.id))
            case .picture(file.objectID, _): status.untouchedCount += 1
            case .picture(let object, _):
                edit.local = object
                if let refused = try refusal(of: path, as: file.id) {
                    status.unusable.append(refused)
                } else {
                    status.modified.append(edit)
                }
            }
        }
        let known = cells.filter { manifest.cells.contains($0.id) }
        let choice = CellChoice(
            cells: known.isEmpty
                ? manifest.cells.map { Cell(id: $0, device: nil, variant: []) } : known,
            fallback: manifest.cells.count == 1 ? manifest.cells.first : nil
        )
        try addNew(choice, manifest, &status)
        return status
    }

    private func addNew(
        _ choice: CellChoice,
        _ manifest: CheckoutManifest,
        _ status: inout CheckoutStatus
    ) throws {
        for folder in manifest.layout.folders {
            for path in try FolderListing(of: workTree, below: folder).files
            where manifest.files[path] == nil {
                guard let place = manifest.layout.place(at: path) else { continue }
                do {
                    let cell =
                        try place.cell
                        ?? choice.cell(
                            path: path,
                            name: ReferenceLayout.namesDevices(at: path) ? place.name : nil
                        )
                    let id = try SnapshotID(cell: cell, suite: place.suite, name: place.name)
                    if let refused = try refusal(of: path, as: id) {
                        status.unusable.append(refused)
                        continue
                    }
                    let bytes = try workTree.read(path, bytesMax: FarmLimits.pictureBytesMax)
                    status.added.append(
                        CheckoutEdit(path: path, id: id, base: nil, local: ObjectID(ofBlob: bytes))
                    )
                } catch let error as any ExplainedError {
                    status.unusable.append(UnusablePicture(path, error))
                }
            }
        }
    }

    private func refusal(of path: String, as id: SnapshotID) throws -> UnusablePicture? {
        do {
            let bytes = try workTree.read(path, bytesMax: FarmLimits.pictureBytesMax)
            if let rule = TextRule(for: id, ignored: []) {
                _ = try TextForm(bytes, rule)
            } else {
                try PictureFile.check(bytes)
            }
            return nil
        } catch let error as GuardedFolderError {
            return UnusablePicture(path, error, id: id)
        } catch let error as PictureFileError {
            return UnusablePicture(path, error, id: id)
        } catch let error as TextDefect {
            return UnusablePicture(path, error, id: id)
        }
    }
}
