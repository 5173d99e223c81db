// report.md, for reading in a pull request or on GitHub: headline, problems, changes by folder and
// name with one picture each (the page has them all), failed tests by cause, matrix. It fits a
// given number of bytes and counts what it left out.
import FarmCore

/// Renders `report.md`, the summary of a run.
package enum MarkdownReport {
    /// Whether the document shows pictures, which depends on its place.
    package enum Pictures: Sendable {
        /// The document is in the output folder; paths of pictures are relative to it.
        case relative
        /// The document is a job summary or a comment, which cannot show files of the output
        /// folder.
        case omitted
    }

    /// Returns the report in at most `limitBytes` bytes of UTF-8.
    ///
    /// GitHub's limits are 65,536 characters for a comment and 1 MiB for a job summary.
    package static func render(
        _ summary: RunSummary,
        rejected: RejectedPictures = RejectedPictures(),
        limitBytes: Int,
        pictures: Pictures = .relative
    ) -> String {
        let findings = RunFindings(summary)
        var text = head(summary)
        text += fitted(
            findings.problems.map(MarkdownText.problem),
            title: "## Problems",
            within: limitBytes / 8,
            left: "problems",
            ending: "\n"
        )
        text += fitted(
            CommentSection.rejected(rejected, findings.titles),
            title: "## Rejected before (\(rejected.count))\n",
            within: limitBytes / 8,
            left: "rejections",
            ending: "\n"
        )
        text += fitted(
            (summary.quarantined ?? []).map(quarantined),
            title: "## Quarantined (\(summary.quarantined?.count ?? 0))\n",
            within: limitBytes / 8,
            left: "quarantined",
            ending: "\n"
        )
        text += fitted(
            CommentSection.causes(summary, findings.titles),
            title: "## \(PictureCause.count(PictureCause.all(of: summary), of: summary))\n",
            within: limitBytes / 8,
            left: "causes",
            ending: "\n"
        )
        let matrix = fitted(
            summary.cells.map(row),
            title: matrixHead,
            within: limitBytes / 4,
            left: "cells",
            ending: "\n"
        )
        let failed = TestWords(summary).listed.filter { !findings.isExplained($0) }
        let tests = fitted(
            findings.grouped(failed).map { entry($0, findings) },
            title: "## Tests (\(failed.count))\n",
            within: limitBytes / 4,
            left: "causes"
        )
        let changes = changes(
            summary,
            findings,
            pictures: pictures,
            within: limitBytes - text.utf8.count - matrix.utf8.count - tests.utf8.count
        )
        return cut(text + changes + tests + matrix, to: limitBytes)
    }

    private static func head(_ summary: RunSummary) -> String {
        let run = summary.run
        let counted = summary.counts.occurring
        var text = "# \(MarkdownText.plain(run.pipeline)): \(summary.state.rawValue)\n\n"
        text += "\(Wording.headline(summary, escaped: MarkdownText.plain))\n\n"
        if !counted.isEmpty {
            text += "|planned|" + counted.map { "\($0.word)|" }.joined() + "\n"
            text += "|---:|" + counted.map { _ in "---:|" }.joined() + "\n"
            text += "|\(summary.counts.planned)|"
            text += counted.map { "\(summary.counts[$0])|" }.joined() + "\n\n"
        }
        let took = Wording.duration(summary).map { [(name: "took", value: $0)] } ?? []
        let named = run.named.map { fact in
            guard let judged = summary.judgedRun, fact.name == "mode" else { return fact }
            return (name: "judgement of run", value: judged)
        }
        let facts = (named + took).map { "\($0.name) \(MarkdownText.code($0.value))" }
        text += facts.joined(separator: " · ") + "\n\n"
        if run.filtered {
            text += "**Only a part was run** (`--select`); the rest is not judged here.\n\n"
        }
        return text
    }

    private static func quarantined(_ item: QuarantinedSummary) -> String {
        "- \(Wording.sign(item.verdict)) **\(Wording.word(item.verdict))** "
            + "\(MarkdownText.code(item.name)) on \(MarkdownText.plain(item.cell)): "
            + "\(MarkdownText.plain(item.words))\n"
    }

    private static func changes(
        _ summary: RunSummary,
        _ findings: RunFindings,
        pictures: Pictures,
        within bytes: Int
    ) -> String {
        // A picture that is missing because of a problem above has nothing to compare.
        let changes = ChangeFinding.all(of: summary) {
            !$0.verdict.isAsExpected && !($0.verdict == .missing && findings.isExplained($0))
        }
        let titles = findings.titles
        var blocks: [String] = []
        var suite: String?
        for screen in screens(changes, titles) {
            let own = titles.suite(screen[0].shown.suite)
            let heading = own == suite ? "" : "### \(MarkdownText.plain(own))\n\n"
            suite = own
            blocks.append(heading + table(screen, titles, pictures))
        }
        return fitted(
            blocks,
            title: "## \(ChangeFinding.count(changes))\n",
            within: bytes,
            left: "screens"
        )
    }

    /// Groups changes by their screen; the changes of one screen must follow each other.
    private static func screens(
        _ changes: [ChangeFinding],
        _ titles: RunTitles
    ) -> [[ChangeFinding]] {
        func name(_ change: ChangeFinding) -> [String] {
            let shown = change.shown
            return [titles.suite(shown.suite), titles.name(of: shown), shown.test]
        }
        var screens: [[ChangeFinding]] = []
        for change in changes {
            if let last = screens.last?[0], name(last) == name(change) {
                screens[screens.count - 1].append(change)
            } else {
                screens.append([change])
            }
        }
        return screens
    }

    /// Returns the table of a screen's changes: one row each, with the picture that represents it.
    private static func table(
        _ changes: [ChangeFinding],
        _ titles: RunTitles,
        _ pictures: Pictures
    ) -> String {
        let test = changes[0].shown.test
        let shown = pictures == .relative ? ["reference", "this run", "difference"] : []
        let columns = ["on", "size", "verdict", "found"] + shown
        var text = "#### \(MarkdownText.plain(titles.name(of: changes[0].shown)))\n\n"
        if !test.isEmpty { text += "\(MarkdownText.code(test))\n\n" }
        text += "|\(columns.joined(separator: "|"))|\n"
        text += "|" + columns.map { _ in "---|" }.joined() + "\n"
        for change in changes {
            let picture = change.shown
            let verdict = "\(Wording.sign(change.verdict)) \(change.verdict.rawValue)"
            var row = [change.cells, picture.size, verdict, change.words].map(MarkdownText.plain)
            if pictures == .relative {
                row += [picture.referencePath, picture.failedPath, picture.diffPath]
                    .map { picture.isText ? "" : MarkdownPicture.tag($0, width: 160) }
            }
            text += "|\(row.joined(separator: "|"))|\n"
        }
        text += "\n"
        for hunks in changes.compactMap(\.shown.hunks) {
            text += MarkdownText.fenced(hunks, as: "diff") + "\n"
        }
        return text
    }

    /// Returns the list entry of the tests that failed by one cause, with the words of the first.
    private static func entry(_ finding: CauseFinding, _ findings: RunFindings) -> String {
        guard let test = finding.tests.first else { return "" }
        var text = "- \(Wording.sign(test.verdict)) **\(Wording.word(test.verdict))** "
        text += MarkdownText.plain(findings.titles.name(of: finding.tests))
        if findings.titles.title(of: test) != test.test {
            let id = MarkdownText.code(test.test)
            text += finding.tests.count > 1 ? ", the first \(id)" : ": \(id)"
        }
        let numbers = PageLanguage.english.text.numbers(test)
        text += " (job \(MarkdownText.code(test.job)) · \(numbers))\n\n"
        let body = words(of: test)
        if !body.isEmpty { text += MarkdownText.fenced(body) + "\n" }
        return text
    }

    /// Returns a test's message and the end of its output; the message of an error contains its
    /// remedy and is never cut.
    private static func words(of test: TestSummary) -> String {
        let parts = [test.message, test.output].filter { !$0.isEmpty }
        guard test.verdict == .errored, !test.message.isEmpty else {
            return MarkdownText.tail(parts.joined(separator: "\n\n"))
        }
        return ([test.message] + parts.dropFirst().map(MarkdownText.tail))
            .joined(separator: "\n\n")
    }

    private static let matrixHead =
        "## Matrix\n\n|cell|complete|planned|" + counted.map { "\($0.word)|" }.joined()
        + "\n|---|---|" + String(repeating: "---:|", count: counted.count + 1)

    private static let counted: [CountColumn] =
        CountColumn.all.dropLast().reversed() + [.verdict(nil)]

    private static func row(_ cell: CellSummary) -> String {
        let numbers = [cell.counts.planned] + counted.map { cell.counts[$0] }
        return "|\(MarkdownText.plain(cell.id))|\(cell.complete ? "yes" : "no")|"
            + numbers.map { $0 == 0 ? "·|" : "\($0)|" }.joined() + "\n"
    }

    /// Returns the title, as many blocks as fit into the limit, and a line that counts the others;
    /// empty for no blocks.
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

    /// Returns as many whole lines of the text as fit into `bytesMax`, for a limit that even the
    /// headline exceeds.
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

/// Writes pictures in Markdown; GitHub keeps `src`, `width` and `alt` of an image.
enum MarkdownPicture {
    /// Returns the image tag of a picture; empty if there is no picture or its path is not plain.
    static func tag(_ path: String?, width: Int) -> String {
        guard let url = path.flatMap(RelativePath.url) else { return "" }
        return "<img src=\"\(url)\" width=\"\(width)\">"
    }
}
