// A change: the pictures that people decide about together.

/// A change of a run: pictures that people decide about together; a row of `changes` in
/// `summary.json`.
package struct ChangeSummary: Hashable, Sendable, Codable {
    /// The change's id, 12 hex digits: equal in every run for the same pictures against the same
    /// references.
    package var id: String
    /// The difference of the change's first picture in words, on one line.
    package var words: String
    /// The change's cells on one line: `24 cells: 6 devices × light/dark × ja/en`.
    package var cells: String
    /// The ids of the change's pictures in the order of the matrix; the first represents all of
    /// them.
    package var snapshots: [String]

    package init(id: String, words: String, cells: String, snapshots: [String]) {
        self.id = id
        self.words = words
        self.cells = cells
        self.snapshots = snapshots
    }
}
