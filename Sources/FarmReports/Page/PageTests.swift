// Tests that say more than their pictures: failed, errored, flaky, or without a verdict; with
// the framework's message, and their own output folded away. Tests with one cause are one entry.
import FarmCore

struct PageTests {
    let markup: HTML

    init(_ summary: RunSummary, _ findings: RunFindings, cells: CellDirectory) {
        let titles = findings.titles
        let failed = TestWords(summary).listed
        let skipped = Self.skipped(summary, titles, cells: cells)
        guard !failed.isEmpty else {
            markup = skipped
            return
        }
        let shown = failed.prefix(ReportLimits.failedTestsMax)
        markup = """
            <section class="suite" aria-labelledby="tests">
            <h2 id="tests">Tests <small>\(failed.count)</small></h2>
            \(findings.grouped(Array(shown)).map { Self.entry($0, titles, cells: cells) })\
            \(PagePart.rest(failed.count - shown.count, "tests"))</section>
            \(skipped)
            """
    }

    /// Tests that chose not to run, with their reasons, folded away.
    private static func skipped(
        _ summary: RunSummary,
        _ titles: RunTitles,
        cells: CellDirectory
    ) -> HTML {
        let tests = summary.tests.filter { $0.skipped && $0.verdict == .passed }
        guard !tests.isEmpty else { return "" }
        let shown = tests.prefix(ReportLimits.failedTestsMax)
        let items = shown.map { test in
            """
            <li>\(name(test, titles)) \
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

    /// What people call it; its id can be copied from the title.
    private static func name(_ test: TestSummary, _ titles: RunTitles) -> HTML {
        let title = LegalText.line(titles.title(of: test))
        return "<bdi title=\"\(LegalText.line(test.test))\">\(title)</bdi>"
    }

    private static func entry(
        _ finding: CauseFinding,
        _ titles: RunTitles,
        cells: CellDirectory
    ) -> HTML {
        guard let first = finding.tests.first else { return "" }
        let filter = PagePart.filterable(verdict: first.verdict, cell: first.cell, suite: "")
        guard finding.tests.count > 1 else {
            return """
                <article class="test item" \(filter)>
                <header>\(PagePart.badge(first.verdict)) <h3>\(name(first, titles))</h3>
                \(place(first, cells: cells))</header>
                \(words(of: first))</article>

                """
        }
        let items = finding.tests.map { test in
            """
            <li class="item" \(PagePart.filterable(verdict: test.verdict, cell: test.cell, suite: ""))>\
            <header><h3>\(name(test, titles))</h3>
            \(place(test, cells: cells))</header></li>

            """ as HTML
        }
        return """
            <article class="test cause">
            <header>\(PagePart.badge(first.verdict)) \(finding.tests.count) tests</header>
            \(words(of: first))<ul>
            \(items)</ul></article>

            """
    }

    /// Where it ran, and how long.
    private static func place(_ test: TestSummary, cells: CellDirectory) -> HTML {
        let attempts: HTML = test.attempts == 1 ? "1 attempt" : "\(test.attempts) attempts"
        return """
            \(PagePart.configuration(test.cell, cells: cells))
            <span class="quiet"><bdi>\(test.job)</bdi> · \(attempts) · \
            \(Wording.seconds(test.seconds)) s</span>
            """
    }

    /// What it said, and its output.
    private static func words(of test: TestSummary) -> HTML {
        let message: HTML =
            test.message.isEmpty ? "" : "<pre class=\"message\">\(test.message)</pre>\n"
        let output: HTML =
            test.output.isEmpty
            ? "" : "<details><summary>Output</summary><pre>\(test.output)</pre></details>\n"
        return "\(message)\(output)"
    }
}
