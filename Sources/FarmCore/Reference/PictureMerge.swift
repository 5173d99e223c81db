// Three-way merge of references by name: what only one side changed is taken from that side, and
// what both changed differently is a conflict that a person decides. Bytes are never looked at:
// two pictures have no middle.
//
// Invariants
//   - Swapping the sides swaps them in the conflicts and changes nothing else.
//   - A conflict keeps our picture until it is decided.

/// One of the three versions of a merge.
package enum MergeSide: String, Hashable, Sendable, Codable, CaseIterable {
    case base
    case ours
    case theirs
}

/// A picture that both sides changed, each in its own way; nil where it does not exist.
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

/// A person's decision about the conflicts that a pattern covers.
package struct MergeChoice: Hashable, Sendable {
    /// A glob over whole snapshot ids, in which `*` crosses folders.
    package var pattern: String
    package var side: MergeSide

    package init(_ side: MergeSide, of pattern: String) {
        self.side = side
        self.pattern = pattern
    }
}

/// The subtrees of two pins over their base, and what only the pictures below can decide.
package struct PinSubtreeMerge: Hashable, Sendable {
    /// Undecided subtrees are ours here.
    package var pin: ReferencePin
    /// Changed on both sides to different subtrees, sorted.
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

/// The pictures of one place in a set, merged.
package struct PictureMerge: Hashable, Sendable {
    package var pictures: [SnapshotID: ObjectID]
    /// Sorted by id.
    package var conflicts: [PictureConflict]
    /// The conflicts that a choice decided.
    package var chosen: [SnapshotID: MergeSide]
    /// The patterns of the choices that covered a conflict, decided by a later one or not.
    package var used: Set<String>

    /// Where several choices cover a picture the last one counts.
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

enum ThreeWay<Value> {
    case decided(Value)
    case conflict
}

/// The version that both sides agree on, or that only one of them made.
func threeWay<Value: Equatable>(base: Value, ours: Value, theirs: Value) -> ThreeWay<Value> {
    if ours == theirs || base == theirs { return .decided(ours) }
    return base == ours ? .decided(theirs) : .conflict
}
