// Tests that say more than their pictures: failed, errored, flaky, or without a verdict; with
// the framework's message, and their own output folded away.
import FarmCore

struct PageTests {
    let markup: HTML

    init(_ summary: RunSummary, cells: CellDirectory) {
        let failed = TestWords(summary).listed
        guard !failed.isEmpty else {
            markup = ""
            return
        }
        let shown = failed.prefix(ReportLimits.failedTestsMax)
        markup = """
            <section class="suite" aria-labelledby="tests">
            <h2 id="tests">Tests <small>\(failed.count)</small></h2>
            \(shown.map { Self.item($0, cells: cells) })\
            \(PagePart.rest(failed.count - shown.count, "tests"))</section>

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
