// The changes of a run, which people decide about: one card each, by suite. Pictures that are
// missing for a reason given above are folded away.
import FarmCore

struct PageChanges {
    let markup: HTML

    /// Makes the section of the changes `asked`: as many as the page has room for, from the place
    /// in its address.
    init(_ context: PageContext, _ asked: [PageChange]) {
        let text = context.text
        let query = context.query
        let from = min(query.from, asked.count)
        let most = context.review == nil ? ReportLimits.changesMax : ReportLimits.hostedChangesMax
        let shown = asked.dropFirst(from).prefix(most)
        let told = query.change == nil ? shown.filter(\.isTold) : []
        var cards = Cards(
            context,
            rowsMax: query.change == nil ? ReportLimits.rowsMax : .max
        )
        let own = cards.suites(told.isEmpty ? Array(shown) : shown.filter { !$0.isTold })
        let folded = Self.folded(told.count, cards.suites(told), text)
        let all = context.run.changes
        let none: HTML = all.isEmpty ? "<p class=\"quiet\">\(text.allAsExpected)</p>\n" : ""
        let rest =
            context.review == nil
            ? context.rest(asked.count - shown.count, .changes)
            : Self.others(query, shown.indices, of: asked.count, text)
        let back: HTML =
            query.change == nil
            ? ""
            : """
            <p><a href="?lang=\(text.language.rawValue)">\(text.allChanges)</a></p>

            """
        markup = """
            <section aria-labelledby="changes">
            <h2 id="changes">\(text.changes) <small>\(all.count)</small></h2>
            \(back)\(none)\(own)\(folded)\(rest)</section>

            """
    }

    /// Returns links to the pages with the changes before and after; empty if this page holds all.
    private static func others(
        _ query: PageQuery,
        _ shown: Range<Int>,
        of count: Int,
        _ text: PageText
    ) -> HTML {
        guard shown.count < count else { return "" }
        let most = ReportLimits.hostedChangesMax
        func link(_ from: Int, _ words: String, _ kind: HTML) -> HTML {
            let place = [query.starting(at: from).text, "lang=\(text.language.rawValue)"]
                .filter { !$0.isEmpty }.joined(separator: "&")
            return " <a rel=\"\(kind)\" href=\"?\(place)\">\(words)</a>"
        }
        let before = shown.lowerBound > 0
        let after = shown.upperBound < count
        return """
            <nav class="parts" aria-label="\(text.changes)">\
            \(text.part(shown.lowerBound + 1, shown.upperBound, count))\
            \(before ? link(max(0, shown.lowerBound - most), text.previous, "prev") : "")\
            \(after ? link(shown.upperBound, text.next, "next") : "")</nav>

            """
    }

    /// Renders the cards of changes under the titles of their suites, with as many rows of cells as
    /// the page may hold.
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

    /// Returns the fold with the cards of changes that follow from a problem; empty if there are
    /// none.
    private static func folded(_ count: Int, _ cards: HTML, _ text: PageText) -> HTML {
        guard count > 0 else { return "" }
        return """
            <details class="folded"><summary>\(text.foldedChanges) <small>\(count)</small></summary>
            \(cards)</details>

            """
    }
}
