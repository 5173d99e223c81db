// The contents of a store by its Git references: sets, tombstones, the journal, the note of pruned
// sets. All other references are roots that a prune always keeps.
import FarmCore
import FarmGit
import Foundation

/// An entry of the journal, read from its commit.
struct JournalCommit {
    var commit: ObjectID
    var tree: ObjectID
    /// The commit of the entry before this one, or `nil` if there is none.
    var previous: ObjectID?
    /// The set that the entry shows, or `nil` if it shows none.
    ///
    /// An empty store's first entry and a commit that snapfarm did not make show none.
    var set: ObjectID?
    /// The commit's time, in seconds since 1970.
    var seconds: Double
}

struct StoreContents {
    static let trashPrefix = "refs/snapfarm/trash/"
    static let setPrefix = "refs/snapfarm/sets/"
    static let keepPrefix = "refs/snapfarm/keep/"
    static let usedPrefix = "refs/snapfarm/used/"
    static let noteReference = "refs/snapfarm/pruned"
    private static let journalEntriesMax = 1_000_000

    /// Whether the name is that of a set's or a tombstone's reference.
    static func isSetOrTombstone(_ name: String) -> Bool {
        name.hasPrefix(setPrefix) || name.hasPrefix(trashPrefix)
    }

    /// The object of every Git reference of the store, by the reference's full name.
    let references: [String: ObjectID]
    /// The time at which each set was recorded, in seconds since 1970.
    let sets: [ObjectID: Double]
    /// The tombstones of each dropped set, oldest first, with their day and reference.
    let tombstones: [ObjectID: [(day: PruneDay, name: String)]]
    /// The last noted day on which a run used each set.
    let used: [ObjectID: PruneDay]
    /// The day in each reference that notes the use of a set, by the reference's name.
    let uses: [String: PruneDay]
    /// The references that are not of sets, tombstones, uses, the journal or its notes, by name.
    let others: [String: ObjectID]
    /// The journal's entries, oldest first.
    let journal: [JournalCommit]
    let note: PrunedNote
    /// The ids of all sets that have a reference or a tombstone.
    let known: Set<ObjectID>

    init(_ repository: GitRepository) throws {
        try Self.refusePartial(repository)
        let all = try repository.allReferences()
        references = Dictionary(all, uniquingKeysWith: { first, _ in first })
        journal = try Self.journal(
            from: references[Journal.reference],
            of: repository
        )
        var journalTimes: [ObjectID: Double] = [:]
        var last = 0.0
        for entry in journal {
            guard let set = entry.set else { continue }
            // Of two entries of the same second, the later one counts as newer.
            last = entry.seconds == last.rounded(.down) ? last.nextUp : entry.seconds
            journalTimes[set] = max(journalTimes[set] ?? 0, last)
        }
        var sorted = Sorted()
        for (name, object) in references.sorted(by: { $0.key < $1.key }) {
            sorted.add(name, object, journalTimes, store: repository.path)
        }
        sets = sorted.sets
        tombstones = sorted.tombstones
        uses = sorted.uses
        var used: [ObjectID: PruneDay] = [:]
        for (name, day) in sorted.uses {
            guard let set = references[name] else { continue }
            used[set] = max(used[set] ?? day, day)
        }
        self.used = used
        others = sorted.others
        known = Set(sets.keys).union(tombstones.keys)
        if let blob = references[Self.noteReference] {
            note = PrunedNote(
                parsing: try repository.blob(
                    blob,
                    bytesMax: PrunedNote.bytesMax,
                    what: Self.noteReference
                )
            )
        } else {
            note = PrunedNote()
        }
    }

    /// Returns the time at which a set was recorded, in seconds since 1970.
    ///
    /// This is its time in `sets`, else that of its journal entry, else the day of its oldest
    /// tombstone, else 0.
    func recorded(_ set: ObjectID) -> Double {
        if let seconds = sets[set] { return seconds }
        if let entry = journal.last(where: { $0.set == set }) { return entry.seconds }
        return Double(tombstones[set]?.first?.day.number ?? 0) * 86_400
    }

    private static func refusePartial(_ repository: GitRepository) throws {
        let packs = try RepositoryFiles.names(in: repository.path + "/objects/pack")
        guard !repository.isShallow,
            !packs.contains(where: { $0.hasSuffix(".promisor") })
        else { throw PruneError.partialStore(path: repository.path) }
    }

    private static func journal(
        from head: ObjectID?,
        of repository: GitRepository
    ) throws -> [JournalCommit] {
        var entries: [JournalCommit] = []
        var next = head
        while let id = next, entries.count < journalEntriesMax {
            guard let commit = try repository.rawCommit(id) else {
                throw PruneError.objectMissing(id, store: repository.path)
            }
            let parents = commit.parents.map(\.object)
            let named = commit.message.split(separator: "\n")
                .first { $0.hasPrefix("Snapfarm-Set: ") }
                .flatMap { ObjectID($0.dropFirst(14)) }
            let set = named.flatMap { parents.contains($0) ? $0 : nil }
            let previous = parents.first == set ? nil : parents.first
            entries.append(
                JournalCommit(
                    commit: id,
                    tree: commit.tree.object,
                    previous: previous,
                    set: set,
                    seconds: commit.seconds
                )
            )
            next = previous
        }
        return entries.reversed()
    }

    /// Returns the sets that the other references lead to, each with the name of one such
    /// reference.
    func reachedSets(
        from extra: [ObjectID: String],
        in repository: GitRepository
    ) throws -> [ObjectID: String] {
        var seen: Set<ObjectID> = []
        var found: [ObjectID: String] = [:]
        var waiting: [(ObjectID, String)] = extra.map { ($0.key, $0.value) }
        waiting += others.sorted { $0.key > $1.key }.map { ($0.value, $0.key) }
        let known = known
        while let (id, name) = waiting.popLast() {
            guard seen.insert(id).inserted else { continue }
            if known.contains(id) { found[id] = found[id] ?? name }
            let next: [ObjectID]? = try repository.withObject(ObjectKey(id)) { kind, bytes in
                switch kind {
                case .commit: return RawCommit(bytes)?.parents.map(\.object) ?? []
                case .tag:
                    let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
                    return ObjectID(String(decoding: line, as: UTF8.self).dropFirst(7))
                        .map { [$0] } ?? []
                case .tree, .blob: return []
                }
            }
            waiting += (next ?? []).map { ($0, name) }
        }
        return found
    }
}

/// The references of a store, sorted by kind.
private struct Sorted {
    var sets: [ObjectID: Double] = [:]
    var tombstones: [ObjectID: [(day: PruneDay, name: String)]] = [:]
    var uses: [String: PruneDay] = [:]
    var others: [String: ObjectID] = [:]

    mutating func add(
        _ name: String,
        _ object: ObjectID,
        _ journalTimes: [ObjectID: Double],
        store: String
    ) {
        let parts = name.split(separator: "/").map(String.init)
        if name == GitRepository.reference(ofSet: object) {
            // Prefers the time in the journal: a file's time may be that of a clone.
            sets[object] =
                journalTimes[object] ?? RepositoryFiles.status("\(store)/\(name)")?.changed
                ?? RepositoryFiles.status(store + "/packed-refs")?.changed
                ?? .greatestFiniteMagnitude
        } else if name.hasPrefix(StoreContents.trashPrefix), parts.count == 5,
            parts[4] == object.hex,
            let day = PruneDay(parts[3])
        {
            tombstones[object, default: []].append((day, name))
        } else if name.hasPrefix(StoreContents.usedPrefix), parts.count == 5,
            parts[4] == object.hex,
            let day = PruneDay(parts[3])
        {
            uses[name] = day
        } else if name != Journal.reference, name != StoreContents.noteReference {
            others[name] = object
        }
    }
}
