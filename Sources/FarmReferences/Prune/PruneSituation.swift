// A store, its pins, and the decision of the prune's rules: computed for the plan, and computed
// again from the present state when the plan is carried out.
import FarmCore
import FarmGit
import Foundation

struct PruneSituation {
    let contents: StoreContents
    let resolution: PinResolution
    let decision: PruneDecision
    /// The sets that runs used within `FarmLimits.usedSetDays`, with the last day of use.
    let used: [ObjectID: PruneDay]
    /// The journal entries that are kept, oldest first.
    let journal: [JournalCommit]
    let now: Date

    /// Reads the store and decides which sets are kept and which are dropped.
    ///
    /// With a plan `expected`, its kept sets stay kept, and sets that the plan does not know are
    /// kept as newly recorded.
    init(
        _ repository: GitRepository,
        pins: PinRoots,
        policy: PrunePolicy,
        now: Date,
        expected: PrunePlan? = nil
    ) throws {
        let contents = try StoreContents(repository)
        let resolution = try PinResolution(
            pins,
            in: contents,
            of: repository,
            policy: policy
        )
        guard !resolution.roots.isEmpty || contents.known.isEmpty else {
            // All pins are empty or belong to another project: no reason to drop every set.
            throw PruneError.noReferences(repository: pins.repository, store: repository.path)
        }
        var reasons = resolution.reasons.filter { contents.known.contains($0.key) }
        let reached = try contents.reachedSets(from: resolution.unnamed, in: repository)
        for (set, name) in reached { reasons[set, default: []].append(.reference(name)) }
        let used = Self.used(contents, now: now)
        for (set, day) in used where contents.known.contains(set) {
            reasons[set, default: []].append(.used(day))
        }
        if let shown = contents.journal.last?.set, contents.known.contains(shown) {
            reasons[shown, default: []].append(.journal)
        }
        if let expected {
            for kept in expected.decision.kept
            where contents.known.contains(kept.set) && reasons[kept.set] == nil {
                reasons[kept.set] = kept.reasons
            }
            for set in contents.known.subtracting(expected.known) {
                reasons[set, default: []].append(.recordedSince)
            }
        }
        decision = PruneRules.decide(
            PruneFacts(
                sets: contents.sets,
                tombstones: contents.tombstones.compactMapValues(\.first?.day),
                reasons: reasons
            ),
            policy: policy,
            now: now.timeIntervalSince1970
        )
        let dropped = Set(decision.dropped)
        journal = try Self.kept(contents.journal, dropped: dropped, contents, repository)
        self.contents = contents
        self.resolution = resolution
        self.used = used
        self.now = now
    }

    /// Returns the sets that runs used in the last `FarmLimits.usedSetDays` days, each with its
    /// last day of use: a run may still be compared with them.
    private static func used(_ contents: StoreContents, now: Date) -> [ObjectID: PruneDay] {
        let today = PruneDay(secondsSince1970: now.timeIntervalSince1970)
        return contents.used.filter { today.number - $0.value.number <= FarmLimits.usedSetDays }
    }

    /// Returns the journal entries that are kept: the newest, those of kept sets, and those without
    /// pictures.
    private static func kept(
        _ journal: [JournalCommit],
        dropped: Set<ObjectID>,
        _ contents: StoreContents,
        _ repository: GitRepository
    ) throws -> [JournalCommit] {
        try journal.enumerated().filter { index, entry in
            if index == journal.count - 1 { return true }
            if let set = entry.set { return contents.known.contains(set) && !dropped.contains(set) }
            return try !repository.entries(of: entry.tree, what: "journal")
                .contains { $0.kind == .folder }
        }.map(\.element)
    }

    /// Marks all objects that are kept, starting from the kept references.
    ///
    /// A kept set must be complete. A tombstone may lack objects, and so may a set that only a run
    /// used.
    func mark(_ mark: inout ObjectMark) throws {
        for kept in decision.kept {
            let isWhole = kept.reasons.contains { reason in
                if case .used = reason { false } else { true }
            }
            try mark.add(kept.set, missing: isWhole ? .refuse : .passOver)
        }
        for set in used.keys.sorted() { try mark.add(set, missing: .passOver) }
        for (_, pin) in resolution.unpublished.sorted(by: { $0.key < $1.key }) {
            for entry in pin.entries { try mark.add(entry.object, missing: .refuse) }
        }
        for commit in resolution.unnamed.keys.sorted() { try mark.add(commit, missing: .refuse) }
        for (_, object) in contents.others.sorted(by: { $0.key < $1.key }) {
            try mark.add(object, missing: .refuse)
        }
        if decision.dropped.isEmpty, let note = contents.references[StoreContents.noteReference] {
            try mark.add(note, missing: .passOver)
        }
        var head: ObjectID?
        for entry in journal {
            // Entries before the first dropped one keep their commits; later ones are written anew.
            if entry.previous == head {
                head = entry.commit
                try mark.add(entry.commit, missing: .passOver)
            }
            // The newest entry is kept even if its set has lost its reference.
            let isKept = entry.set.map { set in decision.kept.contains { $0.set == set } }
            try mark.add(entry.tree, missing: isKept == false ? .passOver : .refuse)
            if let set = entry.set { try mark.add(set, missing: .passOver) }
        }
        let tombstones = decision.tombstoned + decision.waiting.map(\.set)
        for object in tombstones + resolution.fragments {
            try mark.add(object, missing: .passOver)
        }
    }

    /// Marks all objects that any reference leads to, also those that the prune drops.
    func markEverything(_ mark: inout ObjectMark) throws {
        for object in decision.dropped { try mark.add(object, missing: .passOver) }
        for object in contents.references.values.sorted() {
            try mark.add(object, missing: .passOver)
        }
    }

    /// The changes of references, in their order: first additions, then removals, so that a crash
    /// in between loses no set.
    var changes: (made: [ReferenceEdit], removed: [ReferenceEdit]) {
        let today = PruneDay(secondsSince1970: now.timeIntervalSince1970)
        var made: [ReferenceEdit] = []
        var removed: [ReferenceEdit] = []
        for (name, day) in contents.uses.sorted(by: { $0.key < $1.key })
        where contents.references[name].flatMap({ used[$0] }) != day {
            removed.append(ReferenceEdit(name: name, object: nil))
        }
        func removeTombstones(of set: ObjectID, but kept: String? = nil) {
            for (_, name) in contents.tombstones[set] ?? [] where name != kept {
                removed.append(ReferenceEdit(name: name, object: nil))
            }
        }
        func removeSet(_ set: ObjectID) {
            guard contents.sets[set] != nil else { return }
            let name = GitRepository.reference(ofSet: set)
            removed.append(ReferenceEdit(name: name, object: nil))
        }
        for set in resolution.unpublished.keys.sorted() + decision.restored
        where contents.sets[set] == nil {
            made.append(ReferenceEdit(name: GitRepository.reference(ofSet: set), object: set))
        }
        for (commit, name) in resolution.unnamed.sorted(by: { $0.key < $1.key })
        where contents.references[name] == nil {
            made.append(ReferenceEdit(name: name, object: commit))
        }
        for set in decision.restored { removeTombstones(of: set) }
        for set in decision.tombstoned {
            let name = "\(StoreContents.trashPrefix)\(today)/\(set)"
            if contents.references[name] == nil {
                made.append(ReferenceEdit(name: name, object: set))
            }
            removeTombstones(of: set, but: name)
            removeSet(set)
        }
        for set in decision.dropped {
            removeTombstones(of: set)
            removeSet(set)
        }
        return (made, removed)
    }
}
