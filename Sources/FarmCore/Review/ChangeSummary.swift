// A change: the pictures that people decide about together.

/// A change of a run; a row of `changes` in `summary.json`.
package struct ChangeSummary: Hashable, Sendable, Codable {
    /// 12 hex digits: in every run the same for the same pictures against the same references.
    package var id: String
    /// The words of the first picture, in one line.
    package var words: String
    /// The cells in one line: `24 cells: 6 devices × light/dark × ja/en`.
    package var cells: String
    /// The ids of the pictures in the order of the matrix; the first represents all of them.
    package var snapshots: [String]

    package init(id: String, words: String, cells: String, snapshots: [String]) {
        self.id = id
        self.words = words
        self.cells = cells
        self.snapshots = snapshots
    }
}
