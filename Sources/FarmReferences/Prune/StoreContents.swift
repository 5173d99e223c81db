// What a store holds as its Git references say: sets, tombstones, the journal, the note of pruned
// sets, and all others, which are roots that a prune keeps without asking why.
import FarmCore
import FarmGit
import Foundation

/// One entry of the journal.
struct JournalCommit {
    var commit: ObjectID
    var tree: ObjectID
    /// The entry before.
    var previous: ObjectID?
    /// The set it shows; nil of an empty store's first entry, and of what a person made.
    var set: ObjectID?
    /// Seconds since 1970.
    var seconds: Double
}

struct StoreContents {
    static let trashPrefix = "refs/snapfarm/trash/"
    static let setPrefix = "refs/snapfarm/sets/"
    static let keepPrefix = "refs/snapfarm/keep/"
    static let usedPrefix = "refs/snapfarm/used/"
    static let noteReference = "refs/snapfarm/pruned"
    private static let journalEntriesMax = 1_000_000

    /// Whether a reference's name is one that a prune makes or removes.
    static func isSetOrTombstone(_ name: String) -> Bool {
        name.hasPrefix(setPrefix) || name.hasPrefix(trashPrefix)
    }

    /// All references.
    let references: [String: ObjectID]
    /// When each set was recorded, in seconds since 1970.
    let sets: [ObjectID: Double]
    /// The tombstones of each set, the oldest first.
    let tombstones: [ObjectID: [(day: PruneDay, name: String)]]
    /// The last day that a run used each set, of those that somebody noted.
    let used: [ObjectID: PruneDay]
    /// By reference, the day that it says a set was used.
    let uses: [String: PruneDay]
    /// What is nothing of all this, nor the journal nor the note.
    let others: [String: ObjectID]
    /// Oldest first.
    let journal: [JournalCommit]
    let note: PrunedNote
    /// Everything that is or was a set.
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
            // Of two entries of one second the later one is the newer.
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

    /// When a set was recorded, as far as anything tells.
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

    /// The sets that the other references lead to, with the first reference of each.
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

/// References by what they are.
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
            // The journal knows when a set was recorded; a file's time may be that of a clone.
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
