// The screen catalogue: every picture of the run, by suite and name, one thumbnail per cell.
// Pictures load when they come near the window, and suites out of sight cost no layout.
import FarmCore

struct PageCatalogue {
    let markup: HTML

    init(_ context: PageContext) {
        let cells = context.cells
        let pictures = context.summary.snapshots.filter { $0.currentPath != nil }
        // Neither the zip nor a host has the pictures that are as expected.
        guard context.place == .outputFolder, !pictures.isEmpty else {
            markup = ""
            return
        }
        let shown = Array(pictures.prefix(ReportLimits.thumbnailsMax))
        let grouped = PictureSuite.grouped(shown, cells: cells, titles: context.titles)
        let suites = grouped.map { suite in
            """
            <section class="suite">
            <h3><bdi>\(LegalText.line(suite.name))</bdi> <small>\(suite.groups.count)</small></h3>
            \(suite.groups.map { Self.screen($0, context) })</section>

            """ as HTML
        }
        markup = """
            <section aria-labelledby="catalogue">
            <h2 id="catalogue">\(context.text.catalogue) <small>\(pictures.count)</small></h2>
            \(suites)\
            \(context.rest(pictures.count - shown.count, .pictures))</section>

            """
    }

    private static func screen(_ group: PictureGroup, _ context: PageContext) -> HTML {
        let test = group.pictures.first.map(context.test) ?? ""
        let made: HTML = test.isEmpty ? "" : " <small><bdi>\(test)</bdi></small>"
        return """
            <div class="screen">
            <h4><bdi>\(LegalText.line(group.name))</bdi>\(made)</h4>
            \(group.pictures.map { thumbnail($0, context) })</div>

            """
    }

    private static func thumbnail(_ picture: SnapshotSummary, _ context: PageContext) -> HTML {
        let cells = context.cells
        guard let url = context.links.url(picture.currentPath) else { return "" }
        let filter = context.filterable(
            picture.verdict,
            cells: CollectionOfOne(picture.cell),
            suite: picture.suite
        )
        let badge: HTML = picture.verdict == .passed ? "" : context.badge(picture.verdict)
        let details = [cells.os(picture.cell), cells.variant(picture.cell), picture.size]
            .filter { !$0.isEmpty }.joined(separator: " · ")
        if picture.isText {
            return """
                <a class="thumb item" \(filter) href="\(url)">\(badge)\
                <bdi>\(cells.device(picture.cell))</bdi></a>

                """
        }
        return """
            <a class="thumb item" \(filter) href="\(url)"><img src="\(url)" \
            width="\(max(1, picture.width))" height="\(max(1, picture.height))" alt="" \
            loading="lazy">\(badge)<bdi>\(cells.device(picture.cell))</bdi> \
            <small><bdi>\(details)</bdi></small></a>

            """
    }
}
