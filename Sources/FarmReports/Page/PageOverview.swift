// The top of the page: the run, its state, its problems, and the matrix.
import FarmCore

enum PageOverview {
    static func header(_ context: PageContext) -> HTML {
        if let sides = context.compared { return PageCompared.header(context, sides) }
        let summary = context.summary
        let text = context.text
        let run = summary.run
        let more = [
            ("took", Wording.duration(summary) ?? ""),
            ("compared", compared(summary.comparisons, text)),
        ].filter { !$0.1.isEmpty }
        // The line above the title shows the mode.
        let facts = run.named.filter { $0.name != "mode" }.map { ($0.name, $0.value) } + more
        let changes = context.run.changes
        let count = SnapshotCount(changes.lazy.flatMap(\.pictures))
        let grouped: HTML =
            count.all == 0
            ? "" : "<p class=\"headline\">\(text.changes(changes.count, in: count))</p>\n"
        let kind: HTML =
            summary.judgedRun.map { "\(text.judgement): <bdi>\(LegalText.line($0))</bdi>" as HTML }
            ?? "\(text.mode(run.mode))"
        return """
            <header class="top">
            \(links(context))<p class="kicker">snapfarm · \(kind)\
            \(run.filtered ? " · \(text.aPart)" : "")</p>
            <h1><bdi>\(LegalText.line(run.pipeline))</bdi> \
            <span class="state \(summary.state.rawValue)">\(text.state(summary.state))</span></h1>
            \(grouped)<p class="headline quiet">\(text.headline(summary))</p>
            <dl class="facts">
            \(facts.map { pair in
                "<div><dt>\(text.fact(pair.0))</dt><dd>\(fact(pair.0, pair.1))</dd></div>\n" as HTML
            })</dl>
            </header>
            """
    }

    /// Returns the links of a host's page, such as the list of runs and the other language; empty
    /// for a page on a disk.
    private static func links(_ context: PageContext) -> HTML {
        guard let review = context.review else { return "" }
        let text = context.text
        let runs: HTML = review.addresses.runs.map { "<a href=\"\($0)\">\(text.runs)</a> " } ?? ""
        let isGoing = context.summary.state == .running
        let progress: HTML =
            review.addresses.runs.map { runs in
                let address = "\(runs)/\(RelativePath.component(context.summary.run.id))/progress"
                return isGoing ? "<a href=\"\(address)\">\(text.howFar)</a> " : ""
            } ?? ""
        let catalogue: HTML =
            review.addresses.catalogue.map {
                "<a href=\"\($0)?lang=\(text.language.rawValue)\">\(text.catalogue)</a> "
            } ?? ""
        let other: PageLanguage = text.language == .english ? .japanese : .english
        let person: HTML =
            review.person.isEmpty ? "" : "<bdi>\(PersonText.short(review.person))</bdi>"
        return """
            <nav class="links" aria-label="snapfarm">\(runs)\(progress)\(catalogue)\
            <a href="?lang=\(other.rawValue)" lang="\(other.rawValue)">\(text.otherLanguage)</a> \
            \(person)</nav>

            """
    }

    /// Returns the notice about the visitor's last form, and the pin that a person must commit.
    static func notice(_ context: PageContext) -> HTML {
        guard let review = context.review else { return "" }
        let pin = PagePin.shown(review.pin, context.text)
        return """
            <p id="notice" class="notice" role="status">\(review.notice)</p>
            <div id="pin" class="notice">\(pin)</div>

            """
    }

    /// Returns the value of one of the run's facts as markup.
    ///
    /// Only a web address, such as that of a CI's page, becomes a link.
    private static func fact(_ name: String, _ value: String) -> HTML {
        switch name {
        case "commit", "references":
            "<bdi title=\"\(value)\">\(String(value.prefix(idCharactersMax)))</bdi>"
        case "started": RunsFrame.time(value)
        case _ where value.hasPrefix("https://") || value.hasPrefix("http://"):
            "<a href=\"\(value)\" rel=\"noopener\"><bdi>\(value)</bdi></a>"
        default: "<bdi>\(value)</bdi>"
        }
    }

    /// The number of characters shown of a Git id; the tooltip has all of them.
    private static let idCharactersMax = 12

    private static func compared(_ counts: ComparisonCounts, _ text: PageText) -> String {
        counts.total == 0
            ? "" : text.compared.with("\(counts.total)", "\(counts.identicalByDigest)")
    }

    static func problems(_ context: PageContext) -> HTML {
        let findings = context.findings
        guard !findings.problems.isEmpty else { return "" }
        let isNotes = findings.problems.allSatisfy(\.problem.isNote)
        let title = isNotes ? context.text.notes : context.text.problems
        let items = findings.problems.map { problem($0, context.text) }
        return """
            <section class="problems\(isNotes ? " notes" : "")" aria-labelledby="problems">
            <h2 id="problems">\(title)</h2>
            <ul>
            \(items)</ul>
            </section>

            """
    }

    private static func problem(_ finding: ProblemFinding, _ text: PageText) -> HTML {
        let said = TranslatedProblem(finding, in: text.language)
        let kind: HTML = finding.problem.isNote ? " class=\"note\"" : ""
        // The tool's own sentence contains the names already.
        let about: HTML =
            said.detail.isEmpty || finding.named.isEmpty
            ? "" : " <bdi>\(LegalText.line(finding.named))</bdi>"
        let follows = text.follows(finding)
        let more: HTML = follows.isEmpty ? "" : "<span>\(follows)</span>\n"
        return """
            <li\(kind)>\
            <code>\(finding.problem.code)</code> <strong>\(said.message)\(about)</strong>
            \(more)<span>\(said.remedy)</span>\(said.details(text.language))</li>

            """
    }

    /// Returns the list of quarantined failures, which do not count, with their reasons and dates.
    static func quarantined(_ context: PageContext) -> HTML {
        guard let list = context.summary.quarantined, !list.isEmpty else { return "" }
        let items = list.prefix(ReportLimits.failedTestsMax).map { item in
            let words = context.text.quarantinedUntil.with(item.until, item.reason)
            return """
                <li>\(context.badge(item.verdict)) <bdi>\(LegalText.line(item.name))</bdi> \
                <span class="quiet"><bdi>\(item.cell)</bdi></span>
                <span>\(LegalText.line(words))</span></li>

                """ as HTML
        }
        return """
            <section class="problems" aria-labelledby="quarantined">
            <h2 id="quarantined">\(context.text.quarantined) <small>\(list.count)</small></h2>
            <ul>
            \(items)</ul>
            \(context.rest(list.count - items.count, .quarantined))</section>

            """
    }

    /// Returns the matrix of results: a row for each cell, a column for each count.
    ///
    /// The number of a verdict is a button that filters. The matrix is open if it is small and
    /// there are no changes, or while the run is open.
    static func verdictCountsTable(_ context: PageContext, hasChanges: Bool) -> HTML {
        let summary = context.summary
        let text = context.text
        guard !summary.cells.isEmpty, context.compared == nil else { return "" }
        let columns = Array(summary.counts.occurring.reversed())
        let heads = columns.map { column in
            "<th scope=\"col\">\(badge(column, context))</th>" as HTML
        }
        let rows = summary.cells.map { row($0, columns: columns, context) }
        let totals = columns.map { "<td>\(summary.counts[$0])</td>" as HTML }
        let isSmall = summary.cells.count <= openRowsMax && !hasChanges
        let isOpen = isSmall || summary.state == .running
        return """
            <details class="matrix" id="matrix"\(isOpen ? " open" : "")>
            <summary>\(text.matrix) <small>(\(text.testsByCell))</small></summary>
            <div class="table" tabindex="0" role="group" aria-label="\(text.matrix)">
            <table>
            <thead><tr><th scope="col">\(text.cell)</th>\(heads)\
            <th scope="col">\(text.planned)</th></tr></thead>
            <tbody>
            \(rows)</tbody>
            <tfoot><tr><th scope="row">\(text.all)</th>\(totals)\
            <td>\(summary.counts.planned)</td></tr></tfoot>
            </table>
            </div>
            </details>

            """
    }

    private static let openRowsMax = 4

    private static func badge(_ column: CountColumn, _ context: PageContext) -> HTML {
        switch column {
        case .verdict(let verdict): context.badge(verdict)
        case .skipped: "<span class=\"badge skipped\">\(context.text.skipped)</span>"
        }
    }

    private static func row(
        _ cell: CellSummary,
        columns: [CountColumn],
        _ context: PageContext
    ) -> HTML {
        let cells = context.cells
        let text = context.text
        let counts = columns.map { column -> HTML in
            let count = cell.counts[column]
            guard count > 0 else { return "<td class=\"zero\">·</td>" }
            // Skipped tests are listed apart, below the tests.
            guard case .verdict(let verdict) = column else { return "<td>\(count)</td>" }
            let key = PagePart.key(verdict)
            let words = text.showThem.with("\(count)", text.verdict(verdict), cells.title(cell.id))
            return """
                <td><button type="button" class="count \(key)" \
                data-to-cell="\(context.filterValue(cell: cell.id))" data-to-verdict="\(key)" \
                aria-label="\(words)">\(count)</button></td>
                """
        }
        let open: HTML =
            cell.complete ? "" : " <span class=\"badge none\">\(text.incomplete)</span>"
        return """
            <tr><th scope="row"><bdi>\(cells.device(cell.id))</bdi> \
            <small><bdi>\(cells.os(cell.id))</bdi> <bdi>\(cells.variant(cell.id))</bdi></small>\
            \(open)</th>\(counts)<td class="planned">\(cell.counts.planned)</td></tr>

            """
    }
}
