// A run as its pages need it. It is made once and is good for every visitor, language and part of the
// page: a run of thousands of changes is not gone through again for each call.
import FarmCore

/// A run and what its pages say of it.
package struct PageRun: Sendable {
    package let summary: RunSummary
    let findings: RunFindings
    let cells: CellDirectory
    let words: TestWords
    /// In the order of their numbers.
    let suites: [String]
    /// In the order of the page.
    let changes: [PageChange]

    package init(_ summary: RunSummary) {
        self.summary = summary
        findings = RunFindings(summary)
        cells = CellDirectory(summary)
        words = TestWords(summary)
        suites = Set(summary.snapshots.lazy.map(\.suite)).sorted()
        changes = PageChange.all(of: summary, findings, cells)
    }
}
