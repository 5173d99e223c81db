// The top of the page: what run this is, how it stands, what went wrong, and the matrix.
import FarmCore

enum PageOverview {
    static func header(_ summary: RunSummary) -> HTML {
        let run = summary.run
        let more = [
            ("took", Wording.duration(run) ?? ""), ("compared", compared(summary.comparisons)),
        ].filter { !$0.1.isEmpty }
        let facts = run.named.map { ($0.name, $0.value) } + more
        return """
            <header class="top">
            <p class="kicker">snapfarm · \(run.mode.rawValue)\(run.filtered ? " · a part" : "")</p>
            <h1><bdi>\(LegalText.line(run.pipeline))</bdi> \
            <span class="state \(summary.state.rawValue)">\(summary.state.rawValue)</span></h1>
            <p class="headline">\(Wording.headline(summary))</p>
            <dl class="facts">
            \(facts.map { "<div><dt>\($0.0)</dt><dd>\(fact($0.1))</dd></div>\n" as HTML })</dl>
            </header>
            """
    }

    /// A CI's page is a link; nothing else is.
    private static func fact(_ value: String) -> HTML {
        guard value.hasPrefix("https://") || value.hasPrefix("http://") else {
            return "<bdi>\(value)</bdi>"
        }
        return "<a href=\"\(value)\" rel=\"noopener\"><bdi>\(value)</bdi></a>"
    }

    private static func compared(_ counts: ComparisonCounts) -> String {
        counts.total == 0
            ? "" : "\(counts.total) pictures, \(counts.identicalByDigest) by digest alone"
    }

    static func problems(_ findings: RunFindings) -> HTML {
        guard !findings.problems.isEmpty else { return "" }
        let items = findings.problems.map { finding in
            let kind: HTML = finding.problem.isNote ? " class=\"note\"" : ""
            let follows: HTML =
                finding.follows.isEmpty ? "" : "<span>\(finding.follows)</span>\n"
            return """
                <li\(kind)>\
                <code>\(finding.problem.code)</code> <strong>\(finding.message)</strong>
                \(follows)<span>\(finding.problem.remedy)</span></li>

                """ as HTML
        }
        return """
            <section class="problems" aria-labelledby="problems">
            <h2 id="problems">Problems</h2>
            <ul>
            \(items)</ul>
            </section>

            """
    }

    /// What is bad and does not count, with reason and date.
    static func quarantined(_ summary: RunSummary) -> HTML {
        guard let list = summary.quarantined, !list.isEmpty else { return "" }
        let items = list.prefix(ReportLimits.failedTestsMax).map { item in
            """
            <li>\(PagePart.badge(item.verdict)) <bdi>\(LegalText.line(item.name))</bdi> \
            <span class="quiet"><bdi>\(item.cell)</bdi></span>
            <span>\(LegalText.line(item.words))</span></li>

            """ as HTML
        }
        return """
            <section class="problems" aria-labelledby="quarantined">
            <h2 id="quarantined">Quarantined <small>\(list.count)</small></h2>
            <ul>
            \(items)</ul>
            \(PagePart.rest(list.count - items.count, "quarantined"))</section>

            """
    }

    /// Rows are cells, columns what is counted; the number of a verdict is a button that filters.
    static func matrix(_ summary: RunSummary, cells: CellDirectory) -> HTML {
        guard !summary.cells.isEmpty else { return "" }
        let columns = Array(summary.counts.occurring.reversed())
        let heads = columns.map { column in
            "<th scope=\"col\">\(badge(column))</th>" as HTML
        }
        let rows = summary.cells.map { row($0, columns: columns, cells: cells) }
        let totals = columns.map { "<td>\(summary.counts[$0])</td>" as HTML }
        return """
            <section aria-labelledby="matrix">
            <h2 id="matrix">Matrix <small>tests by cell</small></h2>
            <div class="matrix" tabindex="0" role="region" aria-labelledby="matrix">
            <table>
            <thead><tr><th scope="col">Cell</th>\(heads)<th scope="col">planned</th></tr></thead>
            <tbody>
            \(rows)</tbody>
            <tfoot><tr><th scope="row">All</th>\(totals)<td>\(summary.counts.planned)</td></tr>\
            </tfoot>
            </table>
            </div>
            </section>

            """
    }

    private static func badge(_ column: CountColumn) -> HTML {
        switch column {
        case .verdict(let verdict): PagePart.badge(verdict)
        case .skipped: "<span class=\"badge skipped\">\(column.word)</span>"
        }
    }

    private static func row(
        _ cell: CellSummary,
        columns: [CountColumn],
        cells: CellDirectory
    ) -> HTML {
        let counts = columns.map { column -> HTML in
            let count = cell.counts[column]
            guard count > 0 else { return "<td class=\"zero\">·</td>" }
            // Who skipped is listed apart, below the tests.
            guard case .verdict(let verdict) = column else { return "<td>\(count)</td>" }
            let key = PagePart.key(verdict)
            return """
                <td><button type="button" class="count \(key)" data-to-cell="\(cell.id)" \
                data-to-verdict="\(key)" aria-label="\(count) \(Wording.word(verdict)) on \
                \(cells.title(cell.id)): show them">\(count)</button></td>
                """
        }
        let open: HTML = cell.complete ? "" : " <span class=\"badge none\">incomplete</span>"
        return """
            <tr><th scope="row"><bdi>\(cells.device(cell.id))</bdi> \
            <small><bdi>\(cells.os(cell.id))</bdi> <bdi>\(cells.variant(cell.id))</bdi></small>\
            \(open)</th>\(counts)<td class="planned">\(cell.counts.planned)</td></tr>

            """
    }
}
