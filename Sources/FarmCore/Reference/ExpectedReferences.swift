// The references that the pictures of one cell are compared with. Devices and names change: a
// picture without a reference of its own is compared with the one that it succeeds.

/// The references of a cell by picture, and those of earlier names and cells.
package struct ExpectedReferences: Sendable {
    /// The cell's own references.
    package let own: [SnapshotID: ObjectID]
    /// The alternates of the cell's own references, at most `FarmLimits.alternatesPerPictureMax`
    /// of each; has no key for a reference without one.
    package let alternates: [SnapshotID: [ObjectID]]
    /// The companions of the cell's own references.
    package let companions: CompanionsByName
    /// The rules and references of earlier names and cells, or `nil` if there are none.
    private let earlier: (rules: SuccessionRules, references: [SnapshotID: ObjectID])?

    package init(_ cell: CellReferences) {
        let own = Dictionary(cell.references.map { ($0.id, $0.objectID) }) { first, _ in first }
        self.own = own
        let several = cell.references.filter { !$0.alternates.isEmpty }
        alternates = Dictionary(
            several.map {
                ($0.id, Array($0.alternates.prefix(FarmLimits.alternatesPerPictureMax)))
            }
        ) { first, _ in first }
        let accompanied = cell.references.filter { !$0.companions.isEmpty }
        companions = Dictionary(accompanied.map { ($0.id, $0.companions) }) { first, _ in first }
        // A renamed picture succeeds one of the cell's own references.
        earlier = cell.predecessors.map { found in
            (
                SuccessionRules(cells: found.cells, renames: found.renames),
                own.merging(found.references.map { ($0.id, $0.objectID) }) { own, _ in own }
            )
        }
    }

    /// Returns the likeliest reference of a picture under one of its earlier names, or `nil` if it
    /// has a reference of its own or no predecessor.
    package func predecessor(of id: SnapshotID) -> Reference? {
        guard own[id] == nil, let earlier else { return nil }
        return earlier.rules.predecessors(of: id).lazy.compactMap { old in
            earlier.references[old].map { Reference(id: old, objectID: $0) }
        }.first
    }
}
