// What people decide about: one change, on all the pictures that show it.

/// One change of a run; a row of `changes` in `summary.json`.
package struct ChangeSummary: Hashable, Sendable, Codable {
    /// 12 hex digits: the same for the same pictures against the same references, in every run.
    package var id: String
    /// What happened, in one line: the words of the picture that is shown first.
    package var words: String
    /// Where it happened, in one line: `24 cells: 6 devices × light/dark × ja/en`.
    package var cells: String
    /// Ids of its pictures, in the order of the matrix; the first stands for all of them.
    package var snapshots: [String]

    package init(id: String, words: String, cells: String, snapshots: [String]) {
        self.id = id
        self.words = words
        self.cells = cells
        self.snapshots = snapshots
    }
}
