// Recording: writes pictures, then trees, then the set's commit, and last its reference. A crash
// before that leaves only objects that no reference names, and recording again makes the same set.
import FarmCore
import FarmGit
import Foundation

/// The result of a recording.
package struct RecordedSet: Sendable, Hashable {
    /// The pin of the new set; equal to the base if nothing changed.
    package var pin: ReferencePin
    package var set: ObjectID
    /// The changes of each recorded cell.
    package var outcomes: [CellID: RecordingOutcome]
}

extension ReferenceStore {
    /// The least number of new pictures that are written as one pack instead of loose files.
    private static let packedCountMin = 50

    /// Writes the set of the base with the recordings applied, and makes it visible.
    ///
    /// Calls `bytes` once for every picture and companion that the store lacks. A rebuilt suite contains its
    /// pictures and its record and nothing else; suites that no recording touches keep their
    /// subtrees. The same recordings over the same base give the same set and write nothing. Waits
    /// while the store is being pruned.
    ///
    /// - Throws: `ReferenceStoreError` if the base is not in the store, if two recordings have the
    ///   same cell, if paths collide, or if bytes do not match their id; `GitError` if Git does not
    ///   allow a name; and the errors of `bytes`. The set is not visible then.
    package func record(
        base: ReferencePin,
        recordings: [CellRecording],
        bytes: (RecordedPicture) throws -> Data
    ) throws -> RecordedSet {
        let lock = try StoreLock(shared: path)
        defer { withExtendedLifetime(lock) {} }
        // Opens a new handle: an old one may still use packs that a prune has deleted.
        let repository = try openRepository()
        try repository.check(base)
        let changes = try Self.changes(by: recordings, over: base, in: repository)
        try Self.refuseCollisions(of: changes, over: base)

        try Self.write(recordings, to: repository, bytes: bytes)
        var pin = base
        var outcomes: [CellID: RecordingOutcome] = [:]
        for change in changes {
            try Self.write(change, to: repository, pin: &pin)
            outcomes[change.cell] = change.outcome
        }
        let set = try repository.writeSet(of: pin)
        try repository.checkFiles(of: pin)
        try repository.publish(set: set)
        return RecordedSet(pin: pin, set: set, outcomes: outcomes)
    }

    /// Runs `body` while no prune can begin; `body` may record.
    ///
    /// Used for a recording with its journal entry: the set may be an old one that a prune is about
    /// to drop, and only its journal entry shows that it is needed again.
    package func withPruneBlocked<Result>(_ body: () throws -> Result) throws -> Result {
        let lock = try StoreLock(shared: path)
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }

    // MARK: deciding

    private static func changes(
        by recordings: [CellRecording],
        over base: ReferencePin,
        in repository: GitRepository
    ) throws -> [CellChange] {
        var changes: [CellChange] = []
        var cells: Set<CellID> = []
        for recording in recordings {
            guard cells.insert(recording.cell).inserted else {
                throw ReferenceStoreError.cellRecordedTwice(recording.cell)
            }
            let names = Array(recording.pictures.keys) + Array(recording.alternates.keys)
            if let foreign = names.first(where: { $0.cell != recording.cell }) {
                throw ReferenceStoreError.foreignPicture(foreign, cell: recording.cell)
            }
            let subtrees = base.folders(of: recording.cell)
            var present: [String: SuiteFolder] = [:]
            for folder in CellChange.touched(by: recording, among: subtrees.keys) {
                guard let path = SubtreePath(cell: recording.cell, folder: folder) else {
                    throw GitError.nameRefused(
                        "\(recording.cell)/\(folder)",
                        reason: "it is not a safe path"
                    )
                }
                guard let subtree = subtrees[folder] else { continue }
                present[folder] = try repository.suite(path, in: subtree)
            }
            changes.append(CellChange(recording, present: present))
        }
        return changes
    }

    /// Throws if two paths of rebuilt folders or of other folders in the set collide.
    private static func refuseCollisions(
        of changes: [CellChange],
        over base: ReferencePin
    ) throws(ReferenceStoreError) {
        var collisions = PathCollisions()
        var rebuilt: Set<SubtreePath> = []
        for change in changes {
            for (folder, contents) in change.folders.sorted(by: { $0.key < $1.key }) {
                let path = SubtreePath(cell: change.cell, folder: folder)
                if let path { rebuilt.insert(path) }
                guard !contents.pictures.isEmpty else { continue }
                try collisions.add("\(change.cell)/\(folder)/\(SuiteRecord.fileName)")
                for id in contents.pictures.keys.sorted() { try collisions.add(id.path) }
            }
        }
        for (path, _) in base.entries where !rebuilt.contains(path) {
            try collisions.add("\(path)/\(SuiteRecord.fileName)")
        }
    }

    // MARK: writing

    private static func write(
        _ recordings: [CellRecording],
        to repository: GitRepository,
        bytes: (RecordedPicture) throws -> Data
    ) throws {
        var missing: [(id: SnapshotID, picture: RecordedPicture)] = []
        var seen: Set<ObjectID> = []
        for recording in recordings {
            let files = recording.pictures.flatMap { id, picture in
                picture.companions.values.map {
                    (id, RecordedPicture(digest: $0.digest, objectID: $0.objectID))
                }
            }
            let alternates = recording.alternates.flatMap { id, all in all.map { (id, $0) } }
            let pictures = recording.pictures.map { ($0.key, $0.value) } + alternates + files
            for (id, picture) in pictures.sorted(by: { $0.0 < $1.0 })
            where seen.insert(picture.objectID).inserted && !repository.knows(picture.objectID) {
                missing.append((id, picture))
            }
        }
        let packed = missing.count >= packedCountMin
        let pack =
            packed ? try PackStream(of: missing.count, into: repository) : nil
        for (id, picture) in missing {
            let data = try checked(try bytes(picture), of: picture, id: id)
            if let pack {
                try pack.append(blob: data, as: picture.objectID)
            } else {
                _ = try repository.write(blob: data)
            }
        }
        try pack?.finish()
    }

    private static func checked(
        _ data: Data,
        of picture: RecordedPicture,
        id: SnapshotID
    ) throws(ReferenceStoreError) -> Data {
        guard data.count <= FarmLimits.pictureBytesMax else {
            throw .pictureTooLarge(picture.objectID, bytes: data.count)
        }
        let actual = ObjectID(ofBlob: data)
        guard actual == picture.objectID else {
            throw .bytesDiffer(id, expected: picture.objectID, actual: actual)
        }
        return data
    }

    private static func write(
        _ change: CellChange,
        to repository: GitRepository,
        pin: inout ReferencePin
    ) throws {
        for (folder, contents) in change.folders {
            guard let path = SubtreePath(cell: change.cell, folder: folder) else { continue }
            pin[path] = try repository.write(contents, at: path)
        }
    }
}
