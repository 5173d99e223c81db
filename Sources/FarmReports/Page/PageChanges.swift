// The changes of a run: what people decide about, one card each, by suite. What is missing for a
// reason that is told above is folded away.
import FarmCore

struct PageChanges {
    let markup: HTML

    /// With `only`, the change of that id alone.
    init(_ context: PageContext, _ all: [PageChange], only: String?) {
        let text = context.text
        let asked = only.map { id in all.filter { $0.id == id } } ?? all
        let shown = Array(asked.prefix(ReportLimits.changesMax))
        // A picture that is missing for a reason told above has nothing to compare.
        func isTold(_ change: PageChange) -> Bool {
            only == nil
                && change.pictures.allSatisfy {
                    $0.verdict == .missing && context.findings.follows($0)
                }
        }
        let told = shown.filter(isTold)
        var cards = Cards(context, rowsMax: only == nil ? ReportLimits.rowsMax : .max)
        let own = cards.suites(shown.filter { !isTold($0) })
        let folded = Self.folded(told.count, cards.suites(told), text)
        let none: HTML = all.isEmpty ? "<p class=\"quiet\">\(text.allAsExpected)</p>\n" : ""
        let back: HTML =
            only == nil
            ? ""
            : """
            <p><a href="?lang=\(text.language.rawValue)">\(text.allChanges)</a></p>

            """
        markup = """
            <section aria-labelledby="changes">
            <h2 id="changes">\(text.changes) <small>\(all.count)</small></h2>
            \(back)\(none)\(own)\(folded)\
            \(context.rest(asked.count - shown.count, .changes))</section>

            """
    }

    /// Cards under the titles of their suites, with as many rows of cells as the page may hold.
    private struct Cards {
        let context: PageContext
        var rowsMax: Int

        init(_ context: PageContext, rowsMax: Int) {
            self.context = context
            self.rowsMax = rowsMax
        }

        mutating func suites(_ changes: [PageChange]) -> HTML {
            var markup: HTML = ""
            var open: String?
            for change in changes {
                let suite = context.titles.suite(change.first.suite)
                if suite != open {
                    if open != nil { markup += "</section>\n" }
                    markup += """
                        <section class="suite">
                        <h3><bdi>\(LegalText.line(suite))</bdi></h3>

                        """
                    open = suite
                }
                var rows = 0
                if change.pictures.count > 1, change.pictures.count <= rowsMax {
                    rows = change.pictures.count
                    rowsMax -= rows
                }
                markup += PageCard(change, context, withRows: rows > 0).markup
            }
            if open != nil { markup += "</section>\n" }
            return markup
        }
    }

    /// Cards of what follows from a problem, closed; nothing for none.
    private static func folded(_ count: Int, _ cards: HTML, _ text: PageText) -> HTML {
        guard count > 0 else { return "" }
        return """
            <details class="folded"><summary>\(text.foldedChanges) <small>\(count)</small></summary>
            \(cards)</details>

            """
    }
}
