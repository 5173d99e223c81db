import FarmCore
import FarmReports
import Testing

@testable import FarmRun

@Suite("Tests that chose not to run")
struct SkippedTests {
    private func status(_ summary: RunSummary) -> String {
        CommitStatus(summary, page: nil).description
    }

    @Test("a green run counts them apart, in every document")
    func green() {
        let summary = Fixture.green()
        #expect(summary.counts.passed == 1 && summary.counts.skipped == 1)
        let terminal = TerminalSummary.render(summary, style: .plain, width: 100)
        #expect(terminal.hasPrefix("passed: 1 test as expected, 1 skipped. ("))
        #expect(terminal.contains("   passed  skipped\n"))
        let report = MarkdownReport.render(summary, limitBytes: 60_000)
        #expect(report.contains("1 test as expected, 1 skipped."))
        #expect(report.contains("|planned|skipped|passed|\n|---:|---:|---:|\n|2|1|1|\n"))
        #expect(report.contains("|cell|complete|planned|passed|skipped|inherited|flaky|"))
        let page = HTMLReport.render(summary)
        #expect(page.contains("<span class=\"badge skipped\">skipped</span>"))
        #expect(page.contains("<td>1</td><td>1</td><td>2</td></tr></tfoot>"))
        #expect(page.contains("Skipped <small>1</small>"))
        #expect(status(summary) == "1 passed, 1 skipped")
    }

    @Test("a run of nothing else says so, and a red one needs no look at them")
    func others() {
        var summary = Fixture.green()
        summary.counts = VerdictCounts()
        for _ in 0..<2 { summary.counts.add(.passed, isSkipped: true) }
        let nothing = TerminalSummary.render(summary, style: .plain, width: nil)
        #expect(nothing.hasPrefix("passed: 2 tests skipped. ("))
        #expect(status(summary) == "0 passed, 2 skipped")
        summary.counts.add(.failed)
        summary.state = .failed
        let red = TerminalSummary.render(summary, style: .plain, width: nil)
        #expect(red.hasPrefix("failed: 1 of 3 tests needs a look: 1 failed."))
        #expect(status(summary) == "0 passed, 2 skipped, 1 failed")
        summary.counts.add(nil)
        summary.state = .incomplete
        let open = TerminalSummary.render(summary, style: .plain, width: nil)
        #expect(open.contains("proves nothing: 1 failed, 2 skipped."))
    }

    @Test("a cell of which nothing is left but them is not open")
    func manyCells() {
        var summary = Fixture.green()
        let cell = summary.cells[0]
        summary.cells = (0...ReportLimits.terminalCellsMax).map { number in
            var copy = cell
            copy.id = "cell-\(number)"
            copy.counts = VerdictCounts()
            copy.counts.add(.passed, isSkipped: true)
            return copy
        }
        let terminal = TerminalSummary.render(summary, style: .plain, width: 100)
        #expect(!terminal.contains("cell-"))
    }
}
