// Predecessors of pictures. Devices and names change: a picture without a reference of its own is
// compared with the one that it succeeds.
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

    /// Returns the likeliest reference of a picture under one of its possible earlier names.
    func reference(of id: SnapshotID) -> Reference? {
        rules.predecessors(of: id).lazy.compactMap { old in
            references[old].map { Reference(id: old, objectID: $0) }
        }.first
    }
}
