// The screen catalogue: every picture of the run, by suite and name, one thumbnail per cell.
// Pictures load when they come near the window, and suites out of sight cost no layout.
import FarmCore

struct PageCatalogue {
    let markup: HTML

    init(
        _ summary: RunSummary,
        cells: CellDirectory,
        titles: RunTitles,
        links: PageLinks
    ) {
        let pictures = summary.snapshots.filter { $0.currentPath != nil }
        guard !pictures.isEmpty else {
            markup = ""
            return
        }
        let shown = Array(pictures.prefix(ReportLimits.thumbnailsMax))
        let grouped = PictureSuite.grouped(shown, cells: cells, titles: titles)
        let suites = grouped.map { suite in
            """
            <section class="suite">
            <h3><bdi>\(LegalText.line(suite.name))</bdi> <small>\(suite.groups.count)</small></h3>
            \(suite.groups.map { Self.screen($0, cells: cells, links: links) })</section>

            """ as HTML
        }
        markup = """
            <section aria-labelledby="catalogue">
            <h2 id="catalogue">Catalogue <small>\(pictures.count)</small></h2>
            \(suites)\(PagePart.rest(pictures.count - shown.count, "pictures"))</section>

            """
    }

    private static func screen(
        _ group: PictureGroup,
        cells: CellDirectory,
        links: PageLinks
    ) -> HTML {
        """
        <div class="screen">
        <h4><bdi>\(LegalText.line(group.name))</bdi> \
        <small><bdi>\(group.test)</bdi></small></h4>
        <div class="strip">
        \(group.pictures.map { thumbnail($0, group.name, cells: cells, links: links) })</div>
        </div>

        """
    }

    private static func thumbnail(
        _ picture: SnapshotSummary,
        _ name: String,
        cells: CellDirectory,
        links: PageLinks
    ) -> HTML {
        guard let url = links.url(picture.currentPath) else { return "" }
        let filter = PagePart.filterable(
            verdict: picture.verdict,
            cell: picture.cell,
            suite: picture.suite
        )
        let title = LegalText.line(cells.title(picture.cell))
        let badge: HTML = picture.verdict == .passed ? "" : PagePart.badge(picture.verdict)
        let details = [cells.os(picture.cell), cells.variant(picture.cell), picture.size]
            .filter { !$0.isEmpty }.joined(separator: " · ")
        return """
            <figure class="thumb item" \(filter) \
            style="--w:\(max(1, picture.width));--h:\(max(1, picture.height))">\
            <a href="\(url)" target="_blank" rel="noopener"><img src="\(url)" \
            alt="\(LegalText.line(name)) on \(title)" loading="lazy" decoding="async">\
            </a><figcaption>\(badge)<bdi>\(cells.device(picture.cell))</bdi>\
            <small><bdi>\(details)</bdi></small></figcaption></figure>

            """
    }
}
