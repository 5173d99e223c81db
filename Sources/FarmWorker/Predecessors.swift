// Devices and names move on: a picture that has no reference of its own is compared with the one
// it succeeds.
import FarmCore

/// The references that pictures of one cell may succeed.
struct Predecessors: Sendable {
    private let rules: SuccessionRules
    private let references: [SnapshotID: ObjectID]

    /// `own` are the cell's own references: a renamed picture succeeds one of them.
    init(_ predecessors: CellPredecessors, own: [SnapshotID: ObjectID]) {
        rules = SuccessionRules(cells: predecessors.cells, renames: predecessors.renames)
        references = own.merging(predecessors.references.map { ($0.id, $0.objectID) }) { own, _ in
            own
        }
    }

    /// The likeliest reference of a picture under a name it may have had before.
    func reference(of id: SnapshotID) -> Reference? {
        rules.predecessors(of: id).lazy.compactMap { old in
            references[old].map { Reference(id: old, objectID: $0) }
        }.first
    }
}
