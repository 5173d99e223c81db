// Matches the pins with the store: finds the set of each pin, the sets that must be made visible
// because a merge of pin files made them, and the pins whose set is gone.
import FarmCore
import FarmGit
import Foundation

/// A pin whose set is not in the store, but that does not stop the prune.
package struct AbsentPin: Hashable, Sendable, Encodable {
    package var places: [String]
    /// The note of the prune that dropped the pin's set, or `nil` if the store has no such note.
    package var pruned: PrunedFact?
}

/// A pin of a plan, with its set and places.
package struct PlannedRoot: Hashable, Sendable, Encodable {
    /// The id of the pin's blob, or, for a submodule, the id of its set.
    package var object: ObjectID
    package var set: ObjectID
    package var places: [String]
    package var placeCount: Int
}

struct PinResolution {
    private(set) var roots: [PlannedRoot] = []
    private(set) var reasons: [ObjectID: [KeepReason]] = [:]
    /// The pins whose set has no reference yet, by set id.
    private(set) var unpublished: [ObjectID: ReferencePin] = [:]
    /// The commits that a submodule names but that are not sets; they get a `keep` reference.
    private(set) var unnamed: [ObjectID: String] = [:]
    private(set) var absent: [AbsentPin] = []
    /// The subtrees in the store that belong to incomplete pins.
    private(set) var fragments: [ObjectID] = []

    init(
        _ pins: PinRoots,
        in contents: StoreContents,
        of repository: GitRepository,
        policy: PrunePolicy
    ) throws {
        for root in pins.roots {
            let places = root.sources.map(\.text)
            let set =
                switch root.target {
                case .set(let set): set
                case .pin(_, let pin): pin.setID
                }
            guard try resolve(root, set, contents, repository, policy) else { continue }
            roots.append(
                PlannedRoot(
                    object: root.object,
                    set: set,
                    places: places,
                    placeCount: root.sourceCount
                )
            )
            reasons[set, default: []].append(.pinned(places: places, count: root.sourceCount))
        }
    }

    /// Returns whether the store has the set that the pin names.
    private mutating func resolve(
        _ root: PinRoot,
        _ set: ObjectID,
        _ contents: StoreContents,
        _ repository: GitRepository,
        _ policy: PrunePolicy
    ) throws -> Bool {
        if contents.known.contains(set) { return true }
        switch root.target {
        case .set(let commit):
            guard let header = try repository.header(of: commit), header.kind == .commit
            else {
                try miss(root, set, "the set", commit, contents, repository, policy)
                return false
            }
            unnamed[commit] = StoreContents.keepPrefix + "pinned-\(commit)"
            return true
        case .pin(_, let pin):
            guard !pin.isEmpty else { return false }
            var missing: (path: SubtreePath, object: ObjectID)?
            var present: [ObjectID] = []
            for entry in pin.entries {
                if let header = try repository.header(of: entry.object),
                    header.kind == .tree
                {
                    present.append(entry.object)
                } else {
                    missing = missing ?? entry
                }
            }
            guard let missing else {
                unpublished[set] = pin
                return true
            }
            let what = "\"\(missing.path)\""
            try miss(root, set, what, missing.object, contents, repository, policy)
            fragments += present
            return false
        }
    }

    private mutating func miss(
        _ root: PinRoot,
        _ set: ObjectID,
        _ what: String,
        _ object: ObjectID,
        _ contents: StoreContents,
        _ repository: GitRepository,
        _ policy: PrunePolicy
    ) throws {
        let pruned = contents.note.fact(of: set)
        let mayMiss = policy.missingPins == .passOverHistory && root.onlyRecent
        guard pruned != nil || mayMiss else {
            throw PruneError.pinNotInStore(
                place: root.sources.first?.text ?? "a pin",
                what: what,
                object: object,
                store: repository.path
            )
        }
        absent.append(AbsentPin(places: root.sources.map(\.text), pruned: pruned))
    }
}
