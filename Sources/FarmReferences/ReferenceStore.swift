// The reference store is a bare Git repository of immutable reference sets:
//
//     refs/snapfarm/format          blob "1"
//     refs/snapfarm/sets/<set>      a commit over <cell>/<suite>/<name>.png and .renderer.json
//     refs/snapfarm/used/<day>/<set>  notes that a run was compared with the set on that day
//     refs/heads/main               the journal: the newest set, for people; nothing depends on it
//     snapfarm.lock                 shared by recorders, exclusive for prune
//
// Invariants
//   - A set never changes, and its id follows from its pictures and records alone.
//   - A set's reference is created last: a reader that sees it can read all of the set.
import FarmCore
import FarmGit
import Foundation
import Synchronization

/// A reference store on this machine.
///
/// Every call may be made from any thread, and blocks while it works. Reads share one handle, one
/// after the other; each recording opens its own handle and shares only the store's lock.
package final class ReferenceStore: Sendable {
    /// The store's path as the caller gave it, absolute or relative to the working folder.
    package let path: String
    private let reader: Mutex<GitRepository>

    /// The largest size of the format blob in bytes; it contains a small number.
    private static let formatBytesMax = 64
    static let formatReference = "refs/snapfarm/format"
    static let format = "1"

    /// Opens an existing store.
    ///
    /// - Throws: `ReferenceStoreError` if there is no store, or one of a later format.
    package init(opening path: String) throws {
        let repository = try Self.repository(at: path)
        guard let object = try repository.target(of: Self.formatReference) else {
            throw ReferenceStoreError.notAStore(path: path)
        }
        let bytes = try repository.blob(
            object,
            bytesMax: Self.formatBytesMax,
            what: Self.formatReference
        )
        let format = String(decoding: bytes, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard format == Self.format else {
            throw ReferenceStoreError.unknownFormat(path: path, format: format)
        }
        self.path = path
        reader = Mutex(repository)
    }

    /// Opens a new handle of the store's repository.
    ///
    /// An older handle may still use packs that a prune has deleted.
    package func openRepository() throws -> GitRepository {
        try Self.repository(at: path)
    }

    private static func repository(at path: String) throws -> GitRepository {
        do {
            return try GitRepository(opening: path)
        } catch GitError.notARepository {
            throw ReferenceStoreError.notAStore(path: path)
        }
    }

    /// Whether there is a store at `path` that `init(opening:)` can open.
    package static func looksLikeStore(at path: String) -> Bool {
        (try? ReferenceStore(opening: path)) != nil
    }

    /// Throws if the pin names a subtree that the store does not have.
    ///
    /// - Throws: `ReferenceStoreError.pinNotInStore` with the pin's first such line.
    package func check(_ pin: ReferencePin) throws {
        try reader.withLock { try $0.check(pin) }
    }

    /// Returns the id of a pin's set; equal references have equal ids on every machine.
    ///
    /// Writes the set's root objects if they are missing (after a merge of pins), but makes no set
    /// visible.
    package func setID(of pin: ReferencePin) throws -> ObjectID {
        try reader.withLock {
            try $0.check(pin)
            // A set with a reference needs no writing, so this works in a read-only store.
            if try $0.target(of: GitRepository.reference(ofSet: pin.setID)) != nil {
                return pin.setID
            }
            return try $0.writeSet(of: pin)
        }
    }

    /// Returns all references of one cell with all that belongs to them, sorted by id, or none if the pin
    /// lacks the cell.
    package func references(_ pin: ReferencePin, cell: CellID) throws -> [Reference] {
        try reader.withLock { repository in
            var references: [Reference] = []
            for (path, subtree) in subtrees(of: cell, in: pin) {
                let contents = try repository.contents(of: path, in: subtree)
                for (id, object) in contents.pictures {
                    references.append(
                        Reference(
                            id: id,
                            objectID: object,
                            alternates: contents.alternates[id] ?? [],
                            companions: contents.companions[id] ?? [:]
                        )
                    )
                }
            }
            return references.sorted { $0.id < $1.id }
        }
    }

    /// Returns the pictures of one cell of an earlier pin, or `nil` if a prune removed them.
    package func formerReferences(_ pin: ReferencePin, cell: CellID) throws -> [Reference]? {
        do {
            return try references(pin, cell: cell)
        } catch GitError.objectMissing {
            return nil
        }
    }

    /// Checks that every picture of these cells is in the store, without reading bytes.
    ///
    /// - Throws: ``GitError/objectMissing(_:what:repository:)`` for the first missing picture.
    package func checkPictures(_ pin: ReferencePin, cells: Set<CellID>) throws {
        for cell in cells.sorted() {
            let references = try references(pin, cell: cell)
            try reader.withLock { repository in
                for reference in references {
                    for object in reference.objects
                    where !repository.holds(object) {
                        throw GitError.objectMissing(
                            object,
                            what: "\(reference.id)",
                            repository: repository.path
                        )
                    }
                }
            }
        }
    }

    /// Returns the record of a cell's suite by its first folder, or `nil` if the suite has none.
    package func suiteRecord(
        _ pin: ReferencePin,
        cell: CellID,
        folder: String
    ) throws -> SuiteRecord? {
        guard let path = SubtreePath(cell: cell, folder: folder), let subtree = pin[path] else {
            return nil
        }
        return try reader.withLock { try $0.record(of: path, in: subtree) }
    }

    /// Returns the records of a cell's suites by first folder; leaves out suites without a record.
    package func suiteRecords(_ pin: ReferencePin, cell: CellID) throws -> [String: SuiteRecord] {
        try reader.withLock { repository in
            var records: [String: SuiteRecord] = [:]
            for (path, subtree) in subtrees(of: cell, in: pin) {
                records[path.folder] = try repository.record(of: path, in: subtree)
            }
            return records
        }
    }

    /// Returns the bytes of a reference picture, at most `FarmLimits.pictureBytesMax`.
    package func read(_ object: ObjectID) throws -> Data {
        try reader.withLock {
            if let header = try $0.header(of: object), header.bytes > FarmLimits.pictureBytesMax {
                throw ReferenceStoreError.pictureTooLarge(object, bytes: header.bytes)
            }
            return try $0.blob(
                object,
                bytesMax: FarmLimits.pictureBytesMax,
                what: "picture \(object)"
            )
        }
    }
}

private func subtrees(
    of cell: CellID,
    in pin: ReferencePin
) -> [(path: SubtreePath, object: ObjectID)] {
    pin.folders(of: cell).compactMap { folder, object in
        SubtreePath(cell: cell, folder: folder).map { ($0, object) }
    }
}
