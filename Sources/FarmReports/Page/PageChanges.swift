// One card per picture that is not as expected: what it is, what was found, and reference, this
// run's picture and the difference. The style sheet lays them side by side or over each other;
// the frame has the proportions of the largest of them, so a wrong scale shows as such.
import FarmCore

struct PageChanges {
    let markup: HTML

    init(
        _ summary: RunSummary,
        _ findings: RunFindings,
        cells: CellDirectory,
        links: PageLinks
    ) {
        let changed = summary.snapshots.filter { $0.verdict != .passed }
        let shown = Array(changed.prefix(ReportLimits.changesMax))
        // A picture that is missing for a reason told above has nothing to compare.
        func isTold(_ picture: SnapshotSummary) -> Bool {
            picture.verdict == .missing && findings.follows(picture)
        }
        let told = shown.filter(isTold)
        var cards = Cards(
            titles: findings.titles,
            words: TestWords(summary),
            cells: cells,
            links: links
        )
        let own = cards.suites(shown.filter { !isTold($0) })
        let folded = Self.folded(told.count, cards.suites(told))
        let none: HTML =
            changed.isEmpty ? "<p class=\"quiet\">Every picture is as expected.</p>\n" : ""
        markup = """
            <section aria-labelledby="changes">
            <h2 id="changes">Changes <small>\(changed.count)</small> \
            <span class="keys" aria-hidden="true"><kbd>j</kbd> <kbd>k</kbd> next, previous · \
            <kbd>1</kbd>–<kbd>4</kbd> compare · <kbd>space</kbd> hold · <kbd>r</kbd> regions · \
            <kbd>/</kbd> filter</span></h2>
            \(none)\(own)\(folded)\(PagePart.rest(changed.count - shown.count, "changes"))</section>

            """
    }

    /// Cards that are numbered through the page.
    private struct Cards {
        let titles: RunTitles
        let words: TestWords
        let cells: CellDirectory
        let links: PageLinks
        private var number = 0

        init(titles: RunTitles, words: TestWords, cells: CellDirectory, links: PageLinks) {
            self.titles = titles
            self.words = words
            self.cells = cells
            self.links = links
        }

        mutating func suites(_ pictures: [SnapshotSummary]) -> [HTML] {
            var markup: [HTML] = []
            for suite in PictureSuite.grouped(pictures, cells: cells, titles: titles) {
                var cards: [HTML] = []
                for group in suite.groups {
                    for picture in group.pictures { cards.append(card(picture, group.name)) }
                }
                markup.append(
                    """
                    <section class="suite">
                    <h3><bdi>\(LegalText.line(suite.name))</bdi></h3>
                    \(cards)</section>

                    """
                )
            }
            return markup
        }

        private mutating func card(_ picture: SnapshotSummary, _ title: String) -> HTML {
            number += 1
            return PageChanges.card(
                picture,
                title,
                number: number,
                stage: PageChanges.stage(picture, title, cells: cells, links: links),
                cells: cells,
                says: words.beside(picture)
            )
        }
    }

    /// Cards of what follows from a problem, closed; nothing for none.
    private static func folded(_ count: Int, _ suites: [HTML]) -> HTML {
        guard count > 0 else { return "" }
        return """
            <details class="folded"><summary>Missing for a reason above <small>\(count)</small>\
            </summary>
            \(suites)</details>

            """
    }

    private static func card(
        _ picture: SnapshotSummary,
        _ title: String,
        number: Int,
        stage: HTML,
        cells: CellDirectory,
        says words: String
    ) -> HTML {
        let id = "change-\(number)"
        let name: HTML =
            picture.name == title
            ? "" : "<p class=\"path\"><bdi>\(picture.name)</bdi></p>\n"
        let test: HTML =
            picture.test.isEmpty ? "" : "<p class=\"path\"><bdi>\(picture.test)</bdi></p>\n"
        let says: HTML = words.isEmpty ? "" : "<p class=\"quiet\">\(words)</p>\n"
        let filter = PagePart.filterable(
            verdict: picture.verdict,
            cell: picture.cell,
            suite: picture.suite
        )
        return """
            <article class="change item" id="\(id)" tabindex="-1" aria-labelledby="\(id)-name" \
            \(filter) style="--w:\(max(1, picture.width));--h:\(max(1, picture.height))">
            <div class="about">
            \(PagePart.badge(picture.verdict))
            <h4 id="\(id)-name"><a href="#\(id)" title="\(LegalText.line(picture.id))">\
            <bdi>\(LegalText.line(title))</bdi></a></h4>
            \(name)\(test)\(PagePart.configuration(picture.cell, cells: cells))
            <p class="words">\(LegalText.line(picture.words))</p>
            \(says)\(numbers(picture))
            </div>
            \(stage)
            </article>

            """
    }

    private static func numbers(_ picture: SnapshotSummary) -> HTML {
        var facts: [(String, String)] = []
        if picture.differingPixels > 0 {
            facts.append(("Differs", Wording.percent(picture.share)))
            facts.append(("Pixels", String(picture.differingPixels)))
            facts.append(("Largest delta", "\(picture.largestDelta) of 255"))
        }
        if !picture.size.isEmpty { facts.append(("Size", picture.size)) }
        if !picture.clusters.isEmpty { facts.append(("Regions", String(picture.clusters.count))) }
        guard !facts.isEmpty else { return "" }
        return """
            <dl class="numbers">\
            \(facts.map { "<div><dt>\($0.0)</dt><dd>\($0.1)</dd></div>" as HTML })</dl>
            """
    }

    private static func stage(
        _ picture: SnapshotSummary,
        _ title: String,
        cells: CellDirectory,
        links: PageLinks
    ) -> HTML {
        let name = LegalText.line("\(title), \(cells.title(picture.cell))")
        // Of an unstable picture two takes are compared, whatever its reference is.
        let other = links.url(picture.files["other"])
        let reference = other ?? links.url(picture.referencePath)
        let current = links.url(picture.failedPath)
        let pair = reference != nil && current != nil
        let boxes = picture.clusters.map { box in
            """
            <i style="--x:\(box.x);--y:\(box.y);--bw:\(box.width);--bh:\(box.height)"></i>
            """ as HTML
        }
        var figures: [HTML] = [
            figure(
                "reference",
                other == nil ? "Reference" : "Another take",
                reference,
                name: name,
                none: "No reference yet"
            ),
            figure(
                "current",
                "This run",
                current,
                name: name,
                none: "Not made by this run",
                boxes: boxes
            ),
        ]
        if let diff = links.url(picture.diffPath) {
            figures.append(figure("diff", "Difference", diff, name: name, none: ""))
        }
        let slider: HTML =
            pair
            ? """
            <input class="slider" type="range" min="0" max="100" value="50" \
            aria-label="Share of the reference shown of \(name)">

            """ : ""
        return """
            <div class="stage\(pair ? " pair" : "")\(picture.diffPath == nil ? "" : " has-diff")">
            \(figures)\(slider)</div>
            """
    }

    private static func figure(
        _ kind: HTML,
        _ title: HTML,
        _ url: String?,
        name: String,
        none: HTML,
        boxes: [HTML] = []
    ) -> HTML {
        guard let url else {
            return """
                <figure class="\(kind)"><figcaption>\(title)</figcaption>\
                <div class="frame empty">\(none)</div></figure>

                """
        }
        return """
            <figure class="\(kind)"><figcaption>\(title) <a href="\(url)" target="_blank" \
            rel="noopener" aria-label="Open \(title) of \(name)">open</a></figcaption>\
            <div class="frame"><img class="shot" src="\(url)" alt="\(title): \(name)" \
            loading="lazy" decoding="async" draggable="false">\(boxes)</div></figure>

            """
    }
}
