// report.md: what a person reads in a pull request or on GitHub. Headline, problems, changes by
// folder, identifier and configuration (as the 2019 talk's teams sorted their pictures), failed
// tests, matrix. It fits a given number of bytes and says what it left out.
import FarmCore

/// Renders `report.md`.
package enum MarkdownReport {
    /// Whether pictures can be seen where the document is read.
    package enum Pictures: Sendable {
        /// The document lies in the output folder.
        case relative
        /// A job summary or a comment: paths would lead nowhere.
        case omitted
    }

    /// The report in at most `limitBytes` bytes of UTF-8.
    ///
    /// A GitHub comment takes 65,536 characters, a job summary 1 MiB.
    package static func render(
        _ summary: RunSummary,
        limitBytes: Int,
        pictures: Pictures = .relative
    ) -> String {
        let cells = CellDirectory(summary)
        var text = head(summary)
        text += fitted(
            summary.problemsByWeight.map(problem),
            title: "## Problems",
            within: limitBytes / 8,
            left: "problems",
            ending: "\n"
        )
        text += fitted(
            (summary.quarantined ?? []).map(quarantined),
            title: "## Quarantined (\(summary.quarantined?.count ?? 0))\n",
            within: limitBytes / 8,
            left: "quarantined",
            ending: "\n"
        )
        let matrix = fitted(
            summary.cells.map(row),
            title: matrixHead,
            within: limitBytes / 4,
            left: "cells",
            ending: "\n"
        )
        let failed = TestWords(summary).listed
        let tests = fitted(
            failed.map { test($0, cells: cells) },
            title: "## Tests (\(failed.count))\n",
            within: limitBytes / 4,
            left: "tests"
        )
        let changes = changes(
            summary,
            cells: cells,
            pictures: pictures,
            within: limitBytes - text.utf8.count - matrix.utf8.count - tests.utf8.count
        )
        return cut(text + changes + tests + matrix, to: limitBytes)
    }

    private static func head(_ summary: RunSummary) -> String {
        let run = summary.run
        let verdicts = summary.counts.occurring
        var text = "# \(MarkdownText.plain(run.pipeline)): \(summary.state.rawValue)\n\n"
        text += "\(Wording.headline(summary, escaped: MarkdownText.plain))\n\n"
        if !verdicts.isEmpty {
            text += "|planned|" + verdicts.map { "\(Wording.word($0))|" }.joined() + "\n"
            text += "|---:|" + verdicts.map { _ in "---:|" }.joined() + "\n"
            text += "|\(summary.counts.planned)|"
            text += verdicts.map { "\(summary.counts[$0])|" }.joined() + "\n\n"
        }
        let took = Wording.duration(run).map { [(name: "took", value: $0)] } ?? []
        let facts = (run.named + took).map { "\($0.name) \(MarkdownText.code($0.value))" }
        text += facts.joined(separator: " · ") + "\n\n"
        if run.filtered {
            text += "**Only a part was run** (`--select`); the rest is not judged here.\n\n"
        }
        return text
    }

    private static func problem(_ problem: Problem) -> String {
        "- \(problem.isNote ? "note: " : "")**\(MarkdownText.plain(problem.code))**: "
            + "\(MarkdownText.plain(problem.message)) "
            + "\(MarkdownText.plain(problem.remedy))\n"
    }

    private static func quarantined(_ item: QuarantinedSummary) -> String {
        "- \(Wording.sign(item.verdict)) **\(Wording.word(item.verdict))** "
            + "\(MarkdownText.code(item.name)) on \(MarkdownText.plain(item.cell)): "
            + "\(MarkdownText.plain(item.words))\n"
    }

    private static func changes(
        _ summary: RunSummary,
        cells: CellDirectory,
        pictures: Pictures,
        within bytes: Int
    ) -> String {
        let changed = summary.snapshots.filter { $0.verdict != .passed }
        var blocks: [String] = []
        for suite in PictureSuite.grouped(changed, cells: cells) {
            for (index, group) in suite.groups.enumerated() {
                let heading = index == 0 ? "### \(MarkdownText.plain(suite.name))\n\n" : ""
                blocks.append(heading + table(group, cells: cells, pictures: pictures))
            }
        }
        return fitted(
            blocks,
            title: "## Changes (\(changed.count))\n",
            within: bytes,
            left: "screens"
        )
    }

    private static func table(
        _ group: PictureGroup,
        cells: CellDirectory,
        pictures: Pictures
    ) -> String {
        let shown = pictures == .relative ? ["reference", "this run", "difference"] : []
        let columns = ["OS", "device", "size", "variant", "verdict", "found"] + shown
        var text = "#### \(MarkdownText.plain(group.identifier))\n\n"
        if !group.test.isEmpty { text += "\(MarkdownText.code(group.test))\n\n" }
        text += "|\(columns.joined(separator: "|"))|\n"
        text += "|" + columns.map { _ in "---|" }.joined() + "\n"
        for picture in group.pictures {
            let verdict = "\(Wording.sign(picture.verdict)) \(picture.verdict.rawValue)"
            var row = [
                cells.os(picture.cell), cells.device(picture.cell), picture.size,
                cells.variant(picture.cell), verdict, picture.words,
            ].map(MarkdownText.plain)
            if pictures == .relative {
                row += [picture.referencePath, picture.failedPath, picture.diffPath]
                    .map { MarkdownPicture.tag($0, width: 160) }
            }
            text += "|\(row.joined(separator: "|"))|\n"
        }
        return text + "\n"
    }

    private static func test(_ test: TestSummary, cells: CellDirectory) -> String {
        var text = "- \(Wording.sign(test.verdict)) **\(Wording.word(test.verdict))** "
        text += "\(MarkdownText.code(test.test)) on \(MarkdownText.plain(cells.title(test.cell)))"
        text += " (job \(MarkdownText.code(test.job)), attempt \(test.attempts))\n\n"
        let body = [test.message, test.output].filter { !$0.isEmpty }.joined(separator: "\n\n")
        if !body.isEmpty { text += MarkdownText.fenced(body) + "\n" }
        return text
    }

    private static let matrixHead =
        "## Matrix\n\n|cell|complete|planned|"
        + Wording.verdictOrder.reversed().map { "\($0.rawValue)|" }.joined()
        + "no verdict|\n|---|---|"
        + String(repeating: "---:|", count: Wording.verdictOrder.count + 2)

    private static func row(_ cell: CellSummary) -> String {
        let counts = Wording.verdictOrder.reversed().map { cell.counts[$0] }
        let numbers = [cell.counts.planned] + counts + [cell.counts.withoutVerdict]
        return "|\(MarkdownText.plain(cell.id))|\(cell.complete ? "yes" : "no")|"
            + numbers.map { $0 == 0 ? "·|" : "\($0)|" }.joined() + "\n"
    }

    /// The title and as many blocks as fit, then how many did not; nothing for no blocks.
    private static func fitted(
        _ blocks: [String],
        title: String,
        within bytesMax: Int,
        left what: String,
        ending: String = ""
    ) -> String {
        guard !blocks.isEmpty else { return "" }
        let noteBytes = 120
        var text = title + "\n"
        var bytes = text.utf8.count + noteBytes
        for (index, block) in blocks.enumerated() {
            bytes += block.utf8.count
            guard bytes <= bytesMax else {
                let rest = blocks.count - index
                return text + "\n\(rest) more \(what) did not fit here; "
                    + "the page `report/index.html` has all of them.\n\n"
            }
            text += block
        }
        return text + ending
    }

    /// The last resort for a limit smaller than the headline: whole lines only.
    private static func cut(_ text: String, to bytesMax: Int) -> String {
        guard text.utf8.count > bytesMax else { return text }
        var kept = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            guard kept.utf8.count + line.utf8.count + 1 <= bytesMax else { break }
            kept += line + "\n"
        }
        return kept
    }
}

/// A picture in Markdown; GitHub keeps `src`, `width` and `alt` of an image.
enum MarkdownPicture {
    /// Empty where there is no picture or its path is not plain.
    static func tag(_ path: String?, width: Int) -> String {
        guard let url = path.flatMap(RelativePath.url) else { return "" }
        return "<img src=\"\(url)\" width=\"\(width)\">"
    }
}
