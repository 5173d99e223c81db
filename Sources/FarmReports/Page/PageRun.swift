// A run's data for its pages. It is made once for all visitors, languages and parts of the page, so
// that a run of thousands of changes is not gone through again for each call.
import FarmCore

/// A run, and the data that its pages derive from it.
package struct PageRun: Sendable {
    package let summary: RunSummary
    let findings: RunFindings
    let cells: CellDirectory
    let words: TestWords
    /// The suites of the run, in the order of their numbers.
    let suites: [String]
    /// Whether pictures of the run are of more than one job.
    let hasSeveralJobs: Bool
    /// The changes of the run, in the order of the page.
    let changes: [PageChange]
    let causes: [PictureCause]
    /// The id of the change that each picture of ``causes`` is in, by the picture's id.
    let changeOfPicture: [String: String]
    /// The pictures in which texts have boxes, by their ids.
    let boxedPictures: [String: SnapshotSummary]

    package init(_ summary: RunSummary) {
        self.summary = summary
        findings = RunFindings(summary)
        cells = CellDirectory(summary)
        words = TestWords(summary)
        suites = Set(summary.snapshots.lazy.map(\.suite)).sorted()
        hasSeveralJobs = summary.snapshots.contains { $0.job != summary.snapshots.first?.job }
        changes = PageChange.all(of: summary, findings, cells)
        causes = PictureCause.all(of: summary)
        let shown = Set(causes.flatMap(\.shown).map(\.id))
        var places: [String: String] = [:]
        for change in changes where !shown.isEmpty {
            for picture in change.pictures where shown.contains(picture.id) {
                places[picture.id] = change.id
            }
        }
        changeOfPicture = places
        let boxed = Set(summary.snapshots.lazy.compactMap(\.boxedPicture))
        let pictures = boxed.isEmpty ? [] : summary.snapshots.filter { boxed.contains($0.id) }
        boxedPictures = Dictionary(pictures.map { ($0.id, $0) }) { first, _ in first }
    }
}
