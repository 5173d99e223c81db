// Predecessors of pictures. Devices and names change: a picture without a reference of its own is
// compared with the one that it succeeds.
import FarmCore

/// The references of earlier names and cells with which pictures of one cell may be compared.
struct Predecessors: Sendable {
    private let rules: SuccessionRules
    private let references: [SnapshotID: ObjectID]

    /// Makes the predecessors of a cell's pictures; `own` are the cell's own references, because a
    /// renamed picture succeeds one of them.
    init(_ predecessors: CellPredecessors, own: [SnapshotID: ObjectID]) {
        rules = SuccessionRules(cells: predecessors.cells, renames: predecessors.renames)
        references = own.merging(predecessors.references.map { ($0.id, $0.objectID) }) { own, _ in
            own
        }
    }

    /// Returns the likeliest reference of a picture under one of its possible earlier names, or
    /// `nil` if there is none.
    func reference(of id: SnapshotID) -> Reference? {
        rules.predecessors(of: id).lazy.compactMap { old in
            references[old].map { Reference(id: old, objectID: $0) }
        }.first
    }
}
