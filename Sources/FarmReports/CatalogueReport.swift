// `catalogue.md`: the catalogue of screens for testers and designers. It has every picture of the
// run by folder and identifier, one column per cell, so that one look finds the odd one out.
import FarmCore

/// Renders `catalogue.md`, the catalogue of a run's pictures.
package enum CatalogueReport {
    package static func render(_ summary: RunSummary) -> String {
        let cells = CellDirectory(summary)
        let pictures = summary.snapshots.filter { $0.currentPath != nil }
        let titles = RunTitles(summary)
        let suites = PictureSuite.grouped(pictures, cells: cells, titles: titles)
        let screens = suites.reduce(0) { $0 + $1.groups.count }
        var text = "# \(MarkdownText.plain(summary.run.pipeline)): screens\n\n"
        text += "\(pictures.count) pictures of \(screens) screens in \(suites.count) folders"
        text += summary.run.filtered ? "; only a part was run.\n\n" : ".\n\n"
        for suite in suites {
            text += "## \(MarkdownText.plain(suite.name))\n\n"
            for group in suite.groups { text += section(group, cells: cells) }
        }
        return text
    }

    private static func section(_ group: PictureGroup, cells: CellDirectory) -> String {
        var text = "### \(MarkdownText.plain(group.name))\n\n"
        if !group.test.isEmpty { text += "\(MarkdownText.code(group.test))\n\n" }
        var rest = group.pictures[...]
        while !rest.isEmpty {
            text += table(rest.prefix(ReportLimits.catalogueColumnsMax), cells: cells)
            rest = rest.dropFirst(ReportLimits.catalogueColumnsMax)
        }
        return text
    }

    private static func table(
        _ pictures: ArraySlice<SnapshotSummary>,
        cells: CellDirectory
    ) -> String {
        func row(_ value: (SnapshotSummary) -> String) -> String {
            "|" + pictures.map { value($0) + "|" }.joined() + "\n"
        }
        var text = row { MarkdownText.plain(cells.device($0.cell)) }
        text += row { _ in ":---:" }
        text += row { MarkdownText.plain(cells.os($0.cell)) }
        text += row { MarkdownText.plain($0.size) }
        text += row { MarkdownText.plain(cells.variant($0.cell)) }
        text += row { MarkdownPicture.tag($0.currentPath, width: 160) }
        return text + "\n"
    }
}
