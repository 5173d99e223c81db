// Rotation: moves the kept sets to a new repository, for Git hosts that never collect garbage. The
// id of a set follows from its pictures, so ids stay the same and pins of the old store are valid
// in the new one.
import FarmCore
import FarmGit
import Foundation

/// The result of a rotation.
package struct Rotation: Sendable, Hashable, Encodable {
    package var sets: [ObjectID]
    package var objects: Int
    /// The size of the new store's packs and loose objects, in bytes.
    package var bytes: Int
}

/// The new store's link to the old one.
package enum OldStore: Sendable, Hashable {
    case forget
    /// The new store reads missing objects from the old store, while that exists.
    case alternate
}

extension ReferenceStore {
    /// Writes sets with their ids into a new store at `target`, and the journal entries of these
    /// sets.
    ///
    /// Calling it again continues a rotation that died: sets become visible last. A `keep`
    /// reference is copied if its object is kept.
    ///
    /// - Throws: `PruneError` if a set is not here, if something else is at the target, or if the
    ///   disk is too small.
    package func rotate(
        keeping sets: [ObjectID],
        to target: String,
        old: OldStore = .forget,
        now: Date,
        conditions: PruneConditions = PruneConditions()
    ) throws -> Rotation {
        let lock = try StoreLock(shared: path)
        defer { withExtendedLifetime(lock) {} }
        let repository = try openRepository()
        let contents = try StoreContents(repository)
        for set in sets where !contents.known.contains(set) {
            throw PruneError.setMissing(set, store: path)
        }
        let new = try Self.target(target, of: self, sets)
        let newLock = try StoreLock(exclusive: new.path)
        defer { withExtendedLifetime(newLock) {} }
        _ = try PruneLeftovers.clearLocks(of: new.path, conditions)
        _ = try PruneLeftovers.clearFiles(of: new.path, now: now, conditions)
        if old == .alternate { try addAlternate(to: new, conditions) }

        let kept = Set(sets)
        let journal = contents.journal.filter { $0.set.map(kept.contains) ?? false }
        try copyObjects(sets, journal, repository, to: new, conditions)
        let copy = try new.openRepository()
        try writeNote(contents, kept, to: copy, now, conditions)
        try writeReferences(sets, journal, contents, repository, to: copy, conditions)
        let table = try ObjectTable(store: new.path)
        return Rotation(sets: sets.sorted(), objects: table.places.count, bytes: table.totalBytes)
    }

    private static func target(
        _ path: String,
        of old: ReferenceStore,
        _ sets: [ObjectID]
    ) throws -> ReferenceStore {
        guard FileManager.default.fileExists(atPath: path) else { return try create(at: path) }
        guard let store = try? ReferenceStore(opening: path) else {
            throw PruneError.rotationTarget(path: path, fact: "something is here already")
        }
        let present = try StoreContents(try store.openRepository())
        // Continues only an unfinished rotation of the same sets.
        guard present.known.isSubset(of: sets), fileIdentity(path) != fileIdentity(old.path)
        else {
            throw PruneError.rotationTarget(path: path, fact: "another store is here already")
        }
        return store
    }

    private static func fileIdentity(_ path: String) -> [UInt64] {
        var status = stat()
        guard stat(path, &status) == 0 else { return [] }
        return [UInt64(status.st_dev), UInt64(status.st_ino)]
    }

    private func addAlternate(
        to new: ReferenceStore,
        _ conditions: PruneConditions
    ) throws {
        let objects = URL(fileURLWithPath: path).standardizedFileURL.path + "/objects"
        let file = new.path + "/objects/info/alternates"
        try conditions.before(.createReferences)
        try RepositoryFiles.write(objects + "\n", to: file)
    }

    private func copyObjects(
        _ sets: [ObjectID],
        _ journal: [JournalCommit],
        _ repository: GitRepository,
        to new: ReferenceStore,
        _ conditions: PruneConditions
    ) throws {
        let table = try ObjectTable(store: path)
        var mark = ObjectMark(repository: repository, table: table, refusal: refusal)
        for set in sets.sorted() { try mark.add(set, missing: .refuse) }
        for entry in journal { try mark.add(entry.tree, missing: .refuse) }
        let present = try ObjectTable(store: new.path)
        let wanted = mark.reached.filter { present.places[$0] == nil }
        guard !wanted.isEmpty else { return }
        let bytes = wanted.reduce(0) { $0 + (table.bytes(of: $1) ?? 0) }
        let free = try conditions.freeBytes(new.path)
        guard free >= bytes else {
            throw PruneError.diskFull(path: new.path, needed: bytes, free: free)
        }
        let pack = try PackFilter.write(
            Array(wanted),
            from: table,
            of: repository,
            into: new.path + "/objects/pack",
            before: conditions.beforePack
        )
        try PackReplacement.verify(pack, holds: Array(wanted))
    }

    private func writeNote(
        _ contents: StoreContents,
        _ kept: Set<ObjectID>,
        to copy: GitRepository,
        _ now: Date,
        _ conditions: PruneConditions
    ) throws {
        var times: [ObjectID: Double] = [:]
        for set in kept { times[set] = contents.recorded(set) }
        let day = PruneDay(secondsSince1970: now.timeIntervalSince1970)
        let facts = contents.known.subtracting(kept).sorted().map { set in
            let recorded = contents.recorded(set)
            return PrunedFact(
                set: set,
                recorded: Int(clamping: Int64(min(recorded, 1e15))),
                dropped: day,
                nearest: PruneRules.nearest(to: recorded, among: times),
                policy: "left in \(path) by a rotation"
            )
        }
        var note = contents.note
        note.add(facts, present: kept)
        guard !note.facts.isEmpty else { return }
        try conditions.before(.writeNote)
        let blob = try copy.write(blob: Data(note.text.utf8))
        try copy.change([ReferenceEdit(name: StoreContents.noteReference, object: blob)])
    }

    private func writeReferences(
        _ sets: [ObjectID],
        _ journal: [JournalCommit],
        _ contents: StoreContents,
        _ repository: GitRepository,
        to copy: GitRepository,
        _ conditions: PruneConditions
    ) throws {
        var head: ObjectID?
        for entry in journal {
            try conditions.before(.writeJournal)
            head = try copy.rewrite(entry, of: repository, after: head)
        }
        var edits = sets.map {
            ReferenceEdit(name: GitRepository.reference(ofSet: $0), object: $0)
        }
        let kept = Set(sets)
        for (name, object) in contents.others
        where name.hasPrefix(StoreContents.keepPrefix) && kept.contains(object) {
            edits.append(ReferenceEdit(name: name, object: object))
        }
        if let head { edits.append(ReferenceEdit(name: Journal.reference, object: head)) }
        try conditions.before(.createReferences)
        try copy.change(edits)
    }
}
