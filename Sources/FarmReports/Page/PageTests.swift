// The tests with words of their own, such as failed, errored and flaky ones, with the framework's
// message and, folded, their output. Tests with one cause are one entry.
import FarmCore

struct PageTests {
    let markup: HTML

    init(_ context: PageContext) {
        let failed = context.query.tests(of: context.run)
        let notRun = Self.notRun(context)
        guard !failed.isEmpty else {
            markup = notRun
            return
        }
        let shown = failed.prefix(ReportLimits.failedTestsMax)
        markup = """
            <section class="suite" aria-labelledby="tests">
            <h2 id="tests">\(context.text.tests) <small>\(failed.count)</small></h2>
            \(context.findings.grouped(Array(shown)).map { Self.entry($0, context) })\
            \(context.rest(failed.count - shown.count, .tests))</section>
            \(notRun)
            """
    }

    /// Returns the folded sections of tests that did not run: skipped ones with their reasons, and
    /// inherited ones with the runs that ran them.
    private static func notRun(_ context: PageContext) -> HTML {
        let tests = context.summary.tests
        let text = context.text
        let skipped = folded(
            tests.filter { $0.skipped && $0.verdict == .passed },
            text.skippedTests,
            .skippedTests,
            context
        ) { $0.message }
        let inherited = folded(
            tests.filter { $0.verdict == .inherited },
            text.inheritedTests,
            .inheritedTests,
            context
        ) { text.passedIn.with($0.inheritedFrom ?? "") }
        return "\(skipped)\(inherited)"
    }

    private static func folded(
        _ tests: [TestSummary],
        _ title: String,
        _ thing: PageThing,
        _ context: PageContext,
        _ words: (TestSummary) -> String
    ) -> HTML {
        guard !tests.isEmpty else { return "" }
        let shown = tests.prefix(ReportLimits.failedTestsMax)
        let items = shown.map { test in
            """
            <li>\(name(test, context.titles)) \
            <span class="quiet"><bdi>\(LegalText.line(context.cells.title(test.cell)))</bdi> \
            \(LegalText.line(words(test)))</span></li>

            """ as HTML
        }
        return """
            <details class="skipped"><summary>\(title) \
            <small>\(tests.count)</small></summary>
            <ul>
            \(items)</ul>
            \(context.rest(tests.count - shown.count, thing))</details>

            """
    }

    /// Returns the title of a test, with the test's id as the tooltip.
    private static func name(_ test: TestSummary, _ titles: RunTitles) -> HTML {
        let title = LegalText.line(titles.title(of: test))
        return "<bdi title=\"\(LegalText.line(test.test))\">\(title)</bdi>"
    }

    private static func entry(_ finding: CauseFinding, _ context: PageContext) -> HTML {
        let titles = context.titles
        guard let first = finding.tests.first else { return "" }
        func filter(_ test: TestSummary) -> HTML {
            context.filterable(test.verdict, cells: CollectionOfOne(test.cell), suite: nil)
        }
        guard finding.tests.count > 1 else {
            return """
                <article class="test item" \(filter(first))>
                <header>\(context.badge(first.verdict)) <h3>\(name(first, titles))</h3>
                \(place(first, context))</header>
                \(words(of: first, context))</article>

                """
        }
        let items = finding.tests.map { test in
            """
            <li class="item" \(filter(test))>\
            <header><h3>\(name(test, titles))</h3>
            \(place(test, context))</header></li>

            """ as HTML
        }
        return """
            <article class="test cause">
            <header>\(context.badge(first.verdict)) \(context.text.testsOf(finding.tests.count))\
            </header>
            \(words(of: first, context))<ul>
            \(items)</ul></article>

            """
    }

    /// Returns the cell, the job and the numbers of a test, as markup.
    private static func place(_ test: TestSummary, _ context: PageContext) -> HTML {
        """
        \(context.configuration(test.cell))
        <span class="quiet"><bdi>\(test.job)</bdi> · \(context.text.numbers(test))</span>
        """
    }

    /// Returns the message of a test, its attempts with their logs, and its output, as markup.
    private static func words(of test: TestSummary, _ context: PageContext) -> HTML {
        let message: HTML =
            test.message.isEmpty ? "" : "<pre class=\"message\">\(test.message)</pre>\n"
        let output: HTML =
            test.output.isEmpty
            ? ""
            : """
            <details><summary>\(context.text.output)</summary><pre>\(test.output)</pre></details>

            """
        let attempts = PageAttempts(test, context.links, context.text).markup
        return "\(message)\(attempts)\(output)"
    }
}
