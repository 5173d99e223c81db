// The size limits of documents for people. summary.json and junit.xml are never cut. A page says
// what it leaves out.

package enum ReportLimits {
    /// The most cards of changes on the HTML page: five times the largest re-record seen (2,100
    /// pictures for one OS).
    static let changesMax = 10_000
    /// The most cards of changes on one page of a host, which has more pages: 400 KB, half a day of
    /// looking.
    static let hostedChangesMax = 200
    /// The most rows of cells on the HTML page, about 400 bytes each.
    static let rowsMax = 5_000
    /// The most numbered regions of one picture.
    static let regionsMax = 16
    /// The most comments that are shown with one change.
    static let commentsMax = 20
    /// The most characters of a reason that a browser lets a person type.
    static let reasonCharactersMax = 1_000
    /// The most thumbnails in the catalogue of the HTML page: 500 screens on 40 cells.
    static let thumbnailsMax = 20_000
    /// The most failed tests on the HTML page; each may carry 16 KB of output.
    static let failedTestsMax = 2_000
    /// The most Unicode scalars of a name or a sentence in Markdown: three lines.
    static let sentenceScalarsMax = 300
    /// The most Unicode scalars of a failed test's text in Markdown, taken from its end: one
    /// screen.
    static let outputScalarsMax = 2_000
    /// The most columns of one catalogue table in Markdown; five pictures of 160 pixels fill
    /// GitHub's page.
    static let catalogueColumnsMax = 5
    /// The most causes of a page, and of the lists in other documents.
    static let causesMax = 40
    /// The most causes listed at the end of a run on a terminal.
    static let terminalCausesMax = 5
    /// The most lines of a text's difference in a terminal and in a comment.
    static let hunkLinesMax = 12
    /// The most changes listed at the end of a run on a terminal: as many as fit beside the counts.
    package static let terminalChangesMax = 10
    /// The most rows of the cell table on a terminal.
    package static let terminalCellsMax = 20
    /// The most bytes of a `summary.json` that is read: `FarmLimits.plannedTestsMax` rows of 400
    /// bytes.
    static let summaryBytesMax = 800_000_000
}
