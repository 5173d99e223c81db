// The three-way merge of references by name. A change of only one side is taken from that side;
// different changes of both sides are a conflict, which a person decides. The bytes are never read:
// two pictures cannot be mixed.
//
// Invariants
//   - Swapping the two sides swaps them in the conflicts and changes nothing else.
//   - A conflict keeps our picture until it is decided.

/// A version in a three-way merge: the base, ours or theirs.
package enum MergeSide: String, Hashable, Sendable, Codable, CaseIterable {
    case base
    case ours
    case theirs
}

/// A picture that both sides changed differently; a version without the picture has `nil`.
package struct PictureConflict: Hashable, Sendable, Codable {
    package var id: SnapshotID
    package var base: ObjectID?
    package var ours: ObjectID?
    package var theirs: ObjectID?

    package init(id: SnapshotID, base: ObjectID?, ours: ObjectID?, theirs: ObjectID?) {
        self.id = id
        self.base = base
        self.ours = ours
        self.theirs = theirs
    }

    package subscript(side: MergeSide) -> ObjectID? {
        switch side {
        case .base: base
        case .ours: ours
        case .theirs: theirs
        }
    }
}

/// A person's decision about the conflicts that match a pattern.
package struct MergeChoice: Hashable, Sendable {
    /// The pattern of the whole snapshot ids that the choice decides; `*` also matches `/`.
    package var pattern: String
    package var side: MergeSide

    package init(_ side: MergeSide, of pattern: String) {
        self.side = side
        self.pattern = pattern
    }
}

/// The result of merging two pins: the merged subtrees, and those whose pictures must be merged one
/// by one.
package struct PinSubtreeMerge: Hashable, Sendable {
    /// The merged pin; for undecided subtrees, it has our version.
    package var pin: ReferencePin
    /// The subtrees that both sides changed differently, sorted.
    package var undecided: [SubtreePath]

    package init(base: ReferencePin, ours: ReferencePin, theirs: ReferencePin) {
        pin = ours
        undecided = []
        let paths = Set([base, ours, theirs].flatMap { $0.entries.map(\.path) })
        for path in paths.sorted() {
            switch threeWay(base: base[path], ours: ours[path], theirs: theirs[path]) {
            case .decided(let object): pin[path] = object
            case .conflict: undecided.append(path)
            }
        }
    }
}

/// The result of merging the pictures of one folder of a set.
package struct PictureMerge: Hashable, Sendable {
    package var pictures: [SnapshotID: ObjectID]
    /// The conflicts that no choice decided, sorted by id.
    package var conflicts: [PictureConflict]
    /// The conflicts that a choice decided, each with the chosen side.
    package var chosen: [SnapshotID: MergeSide]
    /// The patterns of all choices that matched a conflict, also of those that a later choice
    /// overruled.
    package var used: Set<String>

    /// Merges three versions of pictures; if several choices match a conflict, the last one
    /// decides.
    package init(
        base: [SnapshotID: ObjectID],
        ours: [SnapshotID: ObjectID],
        theirs: [SnapshotID: ObjectID],
        choices: [MergeChoice] = []
    ) {
        pictures = ours
        conflicts = []
        chosen = [:]
        used = []
        let rules = choices.map { (glob: Glob($0.pattern, mode: .text), choice: $0) }
        for id in Set(base.keys).union(ours.keys).union(theirs.keys).sorted() {
            let conflict = PictureConflict(
                id: id,
                base: base[id],
                ours: ours[id],
                theirs: theirs[id]
            )
            switch threeWay(base: base[id], ours: ours[id], theirs: theirs[id]) {
            case .decided(let object):
                pictures[id] = object
            case .conflict:
                let covering = rules.filter { $0.glob.matches(id.text) }.map(\.choice)
                used.formUnion(covering.map(\.pattern))
                if let side = covering.last?.side {
                    pictures[id] = conflict[side]
                    chosen[id] = side
                } else {
                    conflicts.append(conflict)
                }
            }
        }
    }
}

extension PictureMerge {
    /// Returns the alternates of the merged pictures; `alternates` has those of each version.
    ///
    /// A version counts for a picture only if it has the merged reference: an alternate goes with
    /// its reference. An alternate that one side added stays, one that a side removed leaves.
    package func alternates(
        _ versions: (MergeSide) -> (pictures: [SnapshotID: ObjectID], alternates: AlternatesByName)
    ) -> AlternatesByName {
        let all = MergeSide.allCases.map { ($0, versions($0)) }
        let known = Dictionary(uniqueKeysWithValues: all)
        var merged: AlternatesByName = [:]
        for id in Set(all.flatMap(\.1.alternates.keys)) {
            guard let object = pictures[id] else { continue }
            func own(_ side: MergeSide) -> Set<ObjectID>? {
                guard let version = known[side], version.pictures[id] == object else { return nil }
                return Set(version.alternates[id] ?? [])
            }
            let base = own(.base)
            let sides = [own(.ours), own(.theirs)].compactMap(\.self)
            let left = sides.isEmpty ? base ?? [] : sides.reduce(Set()) { $0.union($1) }
            let gone = sides.reduce(Set()) { $0.union((base ?? []).subtracting($1)) }
            let kept = left.subtracting(gone)
            if !kept.isEmpty { merged[id] = kept.sorted { $0.hex < $1.hex } }
        }
        return merged
    }
}

extension PictureMerge {
    /// Returns the companions of the merged pictures; `versions` are those with companions.
    ///
    /// A version counts for a picture only if it has the merged reference. Where two versions have
    /// different companions, the one with the smaller id stays, whichever side it is on.
    package func companions(
        of versions: [(pictures: [SnapshotID: ObjectID], companions: CompanionsByName)]
    ) -> CompanionsByName {
        var merged: CompanionsByName = [:]
        for version in versions {
            for (id, own) in version.companions
            where pictures[id] != nil && version.pictures[id] == pictures[id] {
                merged[id, default: [:]].merge(own) { min($0, $1) }
            }
        }
        return merged
    }
}

enum ThreeWay<Value> {
    case decided(Value)
    case conflict
}

/// Returns the version that both sides have, or that of the only side that changed the base, or
/// else a conflict.
func threeWay<Value: Equatable>(base: Value, ours: Value, theirs: Value) -> ThreeWay<Value> {
    if ours == theirs || base == theirs { return .decided(ours) }
    return base == ours ? .decided(theirs) : .conflict
}
