// Tests that say more than their pictures: failed, errored, flaky, or without a verdict; with
// the framework's message, and their own output folded away.
import FarmCore

struct PageTests {
    let markup: HTML

    init(_ summary: RunSummary, cells: CellDirectory) {
        let failed = TestWords(summary).listed
        let skipped = Self.skipped(summary, cells: cells)
        guard !failed.isEmpty else {
            markup = skipped
            return
        }
        let shown = failed.prefix(ReportLimits.failedTestsMax)
        markup = """
            <section class="suite" aria-labelledby="tests">
            <h2 id="tests">Tests <small>\(failed.count)</small></h2>
            \(shown.map { Self.item($0, cells: cells) })\
            \(PagePart.rest(failed.count - shown.count, "tests"))</section>
            \(skipped)
            """
    }

    /// Tests that chose not to run, with their reasons, folded away.
    private static func skipped(_ summary: RunSummary, cells: CellDirectory) -> HTML {
        let tests = summary.tests.filter { $0.skipped && $0.verdict == .passed }
        guard !tests.isEmpty else { return "" }
        let shown = tests.prefix(ReportLimits.failedTestsMax)
        let items = shown.map { test in
            """
            <li><bdi>\(LegalText.line(test.test))</bdi> \
            <span class="quiet"><bdi>\(LegalText.line(cells.title(test.cell)))</bdi> \
            \(LegalText.line(test.message))</span></li>

            """ as HTML
        }
        return """
            <details class="skipped"><summary>Skipped <small>\(tests.count)</small></summary>
            <ul>
            \(items)</ul>
            \(PagePart.rest(tests.count - shown.count, "skipped tests"))</details>

            """
    }

    private static func item(_ test: TestSummary, cells: CellDirectory) -> HTML {
        let filter = PagePart.filterable(verdict: test.verdict, cell: test.cell, suite: "")
        let message: HTML =
            test.message.isEmpty ? "" : "<pre class=\"message\">\(test.message)</pre>\n"
        let output: HTML =
            test.output.isEmpty
            ? "" : "<details><summary>Output</summary><pre>\(test.output)</pre></details>\n"
        let attempts: HTML = test.attempts == 1 ? "1 attempt" : "\(test.attempts) attempts"
        return """
            <article class="test item" \(filter)>
            <header>\(PagePart.badge(test.verdict)) <h3><bdi>\(LegalText.line(test.test))</bdi></h3>
            \(PagePart.configuration(test.cell, cells: cells))
            <span class="quiet"><bdi>\(test.job)</bdi> · \(attempts) · \
            \(Wording.seconds(test.seconds)) s</span></header>
            \(message)\(output)</article>

            """
    }
}
