// The differences between two sets, by name and object id. Pure. A picture that vanished under one
// name and appeared under another with the same bytes is one renamed picture, not two changes.

/// A reference whose bytes differ between two sets under one name.
package struct ChangedReference: Hashable, Sendable, Codable {
    package var id: SnapshotID
    package var before: ObjectID
    package var after: ObjectID

    package init(id: SnapshotID, before: ObjectID, after: ObjectID) {
        self.id = id
        self.before = before
        self.after = after
    }
}

/// A reference that has the same bytes in two sets, under different names.
package struct RenamedReference: Hashable, Sendable, Codable {
    package var from: SnapshotID
    package var to: SnapshotID
    package var objectID: ObjectID

    package init(from: SnapshotID, to: SnapshotID, objectID: ObjectID) {
        self.from = from
        self.to = to
        self.objectID = objectID
    }
}

/// The alternates of one reference that only one of two sets has; the reference is in both.
package struct ChangedAlternates: Hashable, Sendable, Codable {
    package var id: SnapshotID
    package var added: [ObjectID]
    package var removed: [ObjectID]

    package init(id: SnapshotID, added: [ObjectID], removed: [ObjectID]) {
        self.id = id
        self.added = added
        self.removed = removed
    }
}

/// The alternates of a set's references, by the references' names.
package typealias AlternatesByName = [SnapshotID: [ObjectID]]

/// The differences between two reference sets; every list is sorted by the (new) id.
package struct ReferenceDiff: Hashable, Sendable, Codable {
    package var added: [Reference] = []
    package var removed: [Reference] = []
    package var changed: [ChangedReference] = []
    package var renamed: [RenamedReference] = []
    /// The references whose alternates differ, or `nil` if there are none.
    package var alternates: [ChangedAlternates]?

    package var isEmpty: Bool {
        added.isEmpty && removed.isEmpty && changed.isEmpty && renamed.isEmpty
            && alternates == nil
    }

    /// Makes a diff without differences.
    package init() {}

    /// Compares two reference sets; pictures that are equal in both, with their alternates, may be
    /// left out of both.
    package init(
        before: [SnapshotID: ObjectID],
        after: [SnapshotID: ObjectID],
        alternates: (before: AlternatesByName, after: AlternatesByName) = ([:], [:])
    ) {
        var gone: [ObjectID: [SnapshotID]] = [:]
        for id in before.keys.sorted() where after[id] == nil {
            if let object = before[id] { gone[object, default: []].append(id) }
        }
        for id in after.keys.sorted() {
            guard let object = after[id] else { continue }
            switch before[id] {
            case object: continue
            case .some(let old):
                changed.append(ChangedReference(id: id, before: old, after: object))
            case nil: added.append(Reference(id: id, objectID: object))
            }
        }
        renamed = Self.renames(of: added, from: &gone)
        let targets = Set(renamed.map(\.to))
        added.removeAll { targets.contains($0.id) }
        removed = gone.flatMap { object, ids in ids.map { Reference(id: $0, objectID: object) } }
            .sorted { $0.id < $1.id }
        self.alternates = Self.changes(alternates.before, alternates.after) {
            before[$0] != nil && before[$0] == after[$0]
        }
    }

    /// Returns the references whose alternates differ; `isSame` tells whether a reference itself is
    /// the same in both sets.
    private static func changes(
        _ before: AlternatesByName,
        _ after: AlternatesByName,
        where isSame: (SnapshotID) -> Bool
    ) -> [ChangedAlternates]? {
        let changes = Set(before.keys).union(after.keys).filter(isSame).sorted().compactMap { id in
            let (old, new) = (before[id] ?? [], after[id] ?? [])
            let changed = ChangedAlternates(
                id: id,
                added: new.filter { !old.contains($0) },
                removed: old.filter { !new.contains($0) }
            )
            return changed.added.isEmpty && changed.removed.isEmpty ? nil : changed
        }
        return changes.isEmpty ? nil : changes
    }

    /// Returns the renamed pictures: each added one that has the bytes of a vanished one, paired
    /// with it.
    ///
    /// Many blank screens are equal, so near names are paired first: the same place on another
    /// cell, then the same cell, then the rest in order.
    private static func renames(
        of added: [Reference],
        from gone: inout [ObjectID: [SnapshotID]]
    ) -> [RenamedReference] {
        var renamed: [RenamedReference] = []
        var open = added.filter { gone[$0.objectID] != nil }
        let rules: [(SnapshotID, SnapshotID) -> Bool] = [
            { $0.suite == $1.suite && $0.name == $1.name },
            { $0.cell == $1.cell && $0.name == $1.name },
            { $0.cell == $1.cell && $0.suite == $1.suite },
            { $0.cell == $1.cell },
            { _, _ in true },
        ]
        for isNear in rules {
            var left: [Reference] = []
            for new in open {
                let index = gone[new.objectID]?.firstIndex { isNear($0, new.id) }
                guard let index, let from = gone[new.objectID]?.remove(at: index) else {
                    left.append(new)
                    continue
                }
                renamed.append(
                    RenamedReference(from: from, to: new.id, objectID: new.objectID)
                )
            }
            open = left
        }
        return renamed.sorted { $0.to < $1.to }
    }

    /// The differences in words: `12 changed, 3 new, 1 removed, 4 renamed`, or `no change`.
    package var title: String {
        let added = (alternates ?? []).reduce(0) { $0 + $1.added.count }
        let gone = (alternates ?? []).reduce(0) { $0 + $1.removed.count }
        let parts = [
            (changed.count, "changed"), (self.added.count, "new"), (removed.count, "removed"),
            (renamed.count, "renamed"), (added, added == 1 ? "alternate" : "alternates"),
            (gone, gone == 1 ? "alternate removed" : "alternates removed"),
        ]
        let words = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return words.isEmpty ? "no change" : words.joined(separator: ", ")
    }

    /// The first folders below the cells in which references differ, each once, sorted.
    package var folders: [String] {
        let ids =
            added.map(\.id) + removed.map(\.id) + changed.map(\.id) + renamed.map(\.to)
            + renamed.map(\.from) + (alternates ?? []).map(\.id)
        return Set(ids.map(\.firstFolder)).sorted {
            $0.utf8.lexicographicallyPrecedes($1.utf8)
        }
    }
}
