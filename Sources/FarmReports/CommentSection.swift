// The section of one run in the comment of a pull request: a headline, one row for each change on
// all its cells, failed tests, and links. The matrix and every single cell are in the report.
import FarmCore

/// Renders the section of one run in the comment of a pull request.
package enum CommentSection {
    /// The URLs of this run's picture and its reference, which the reader's browser can fetch from
    /// the Git host.
    package struct Picture: Sendable {
        package var reference: String?
        package var now: String?

        package init(reference: String?, now: String?) {
            self.reference = reference
            self.now = now
        }
    }

    /// The links of a run's section.
    package struct Links: Sendable {
        /// The name of the zip that a run itself writes; a file of another name is a zip of its
        /// whole output folder.
        package static let ownZip = "FailureDiffs.zip"

        /// The URL of the job's page at the CI provider, or `nil` if there is none.
        package var page: String?
        /// The URL of the published report, or `nil` if there is none.
        package var report: String?
        /// The URL of the job's artifacts, or `nil` if `page` has the artifacts.
        package var artifacts: String?
        /// The name of the zip among the artifacts that has the pictures that differ.
        package var zip: String
        package var pictures: [String: Picture]
        /// Whether the repository has a job that executes `/snapfarm` comments.
        package var takesComments: Bool

        package init(
            page: String?,
            report: String? = nil,
            artifacts: String? = nil,
            zip: String = Self.ownZip,
            pictures: [String: Picture] = [:],
            takesComments: Bool = false
        ) {
            self.page = page
            self.report = report
            self.artifacts = artifacts
            self.zip = zip
            self.pictures = pictures
            self.takesComments = takesComments
        }
    }

    /// Returns the section in at most `bytesMax` bytes of UTF-8; rows that do not fit are counted.
    package static func render(
        _ summary: RunSummary,
        rejected: RejectedPictures = RejectedPictures(),
        links: Links,
        bytesMax: Int
    ) -> String {
        let findings = RunFindings(summary)
        let head = head(summary)
        // Each of the six lists below may need room for a count.
        let foot = foot(summary, links, bytesMax: bytesMax - head.utf8.count - 6 * countBytes)
        var room = bytesMax - head.utf8.count - foot.utf8.count
        let changes = changes(summary, findings, links)
        let tests = TestWords(summary).listed.filter { !findings.isExplained($0) }
        let parts = [
            (findings.problems.map(MarkdownText.problem), "", "problem"),
            (self.rejected(rejected, findings.titles), "", "rejection"),
            (causes(summary, findings.titles), causesTitle(summary), "cause"),
            (changes.rows, changes.title, "change"),
            (findings.grouped(tests).map { row($0, findings.titles) }, "", "cause"),
            (changes.texts, "", "changed text"),
        ].filter { !$0.0.isEmpty }
        var body = ""
        for (index, (rows, title, what)) in parts.enumerated() {
            let kept = (parts.count - 1 - index) * countBytes
            let block = fitted(rows, title: title, within: room - kept, what: what)
            room -= block.utf8.count
            body += block
        }
        return [head + body + foot, head + foot].first { $0.utf8.count <= bytesMax } ?? head
    }

    private static func head(_ summary: RunSummary) -> String {
        let run = summary.run
        let part = run.partName.map { " (\(MarkdownText.plain($0)))" } ?? ""
        let sign = summary.state == .passed ? "✓" : summary.state == .failed ? "≠" : "!"
        return "### \(sign) \(MarkdownText.plain(run.pipeline))\(part): \(summary.state.rawValue)"
            + "\n\n\(Wording.headline(summary, escaped: MarkdownText.plain))\n\n"
    }

    /// Returns the end of the section: the run and its links, and the ways to decide if there is
    /// room.
    private static func foot(_ summary: RunSummary, _ links: Links, bytesMax: Int) -> String {
        let run = summary.run
        var words = run.id.isEmpty ? [] : ["run \(MarkdownText.code(run.id))"]
        if !run.commit.isEmpty { words.append("commit \(run.commit.prefix(12))") }
        let page = links.page.flatMap(link)
        let artifacts = (links.artifacts ?? links.page).flatMap(link)
        if let report = links.report.flatMap(link) { words.append("[report](\(report))") }
        if let page { words.append("[job](\(page))") }
        if let artifacts { words.append("[artifacts with report and pictures](\(artifacts))") }
        let text = words.isEmpty ? "" : words.joined(separator: " · ") + "\n"
        let whole = text + ways(summary, links, artifacts: artifacts)
        return whole.utf8.count <= bytesMax ? whole : text
    }

    /// Returns `url` if it is a web address that cannot end a Markdown link too early, else `nil`.
    private static func link(_ url: String) -> String? {
        let isPlain = url.unicodeScalars.allSatisfy {
            $0.value > 32 && $0.value < 127 && !"()<>\"\\`".unicodeScalars.contains($0)
        }
        return isPlain && (url.hasPrefix("https://") || url.hasPrefix("http://")) ? url : nil
    }

    // MARK: causes

    private static func causesTitle(_ summary: RunSummary) -> String {
        "**\(PictureCause.count(PictureCause.all(of: summary), of: summary))**\n\n"
    }

    /// Returns the list entries of the causes that changed pictures share.
    static func causes(_ summary: RunSummary, _ titles: RunTitles) -> [String] {
        PictureCause.all(of: summary).map { cause in
            "- \(MarkdownText.plain(titles.name(of: cause))): \(cause.extent), "
                + "\(MarkdownText.plain(cause.cells))\n"
                + cause.elements.map { "  - \(MarkdownText.plain($0))\n" }.joined()
        }
    }

    // MARK: changes

    private static func changes(
        _ summary: RunSummary,
        _ findings: RunFindings,
        _ links: Links
    ) -> (title: String, rows: [String], texts: [String]) {
        let changes = ChangeFinding.all(of: summary) { picture in
            findings.isOpen(picture) && !findings.isExplained(picture)
        }
        let showsPictures = changes.contains { links.pictures[$0.shown.id] != nil }
        let columns = ["change", "on", "found"] + (showsPictures ? ["reference", "now"] : [])
        let title =
            "**\(ChangeFinding.count(changes))**\n\n|\(columns.joined(separator: "|"))|\n"
            + "|\(columns.map { _ in "---|" }.joined())\n"
        let rows = changes.map { row($0, findings.titles, showsPictures ? links : nil) }
        return (title, rows, changes.compactMap { text($0, findings.titles) })
    }

    /// Returns the first lines of a text's difference below its name; `nil` for a picture.
    ///
    /// They are not folded, because Bitbucket shows HTML as text.
    private static func text(_ change: ChangeFinding, _ titles: RunTitles) -> String? {
        guard let hunks = change.shown.hunks else { return nil }
        let lines = hunks.split(separator: "\n")
        let shown = lines.prefix(ReportLimits.hunkLinesMax).joined(separator: "\n")
        let isCut = lines.count > ReportLimits.hunkLinesMax
        return "**\(MarkdownText.plain(titles.title(of: change.shown)))**\n\n"
            + MarkdownText.fenced(shown + (isCut ? "\n…" : ""), as: "diff") + "\n"
    }

    /// Returns the table row of one change on all its cells, named after the change's first
    /// picture.
    private static func row(
        _ change: ChangeFinding,
        _ titles: RunTitles,
        _ links: Links?
    ) -> String {
        let verdict = "\(Wording.sign(change.verdict)) \(change.verdict.rawValue)"
        var columns = [
            "\(verdict) **\(MarkdownText.plain(titles.title(of: change.shown)))**",
            MarkdownText.plain(change.cells), MarkdownText.plain(change.words),
        ]
        if let links {
            let shown = links.pictures[change.shown.id]
            columns += [shown?.reference, shown?.now].map { url in
                url.flatMap(link).map { "<img src=\"\($0)\" width=\"160\">" } ?? ""
            }
        }
        return "|\(columns.joined(separator: "|"))|\n"
    }

    // MARK: tests

    private static func row(_ finding: CauseFinding, _ titles: RunTitles) -> String {
        "- \(Wording.sign(finding.verdict)) **\(Wording.word(finding.verdict))** "
            + MarkdownText.plain(titles.name(of: finding.tests))
            + (finding.cause.isEmpty ? "" : ": \(MarkdownText.cause(finding))") + "\n"
    }

    /// The bytes reserved for the line that counts rows that do not fit.
    private static let countBytes = 60

    /// Returns as many rows as fit into the limit, and a line that counts the others.
    private static func fitted(
        _ rows: [String],
        title: String,
        within bytesMax: Int,
        what: String
    ) -> String {
        var text = title
        for (index, row) in rows.enumerated() {
            guard text.utf8.count + row.utf8.count + countBytes <= bytesMax else {
                let rest = rows.count - index
                return (index == 0 ? "" : text)
                    + "\n\(rest) \(what)\(rest == 1 ? " is" : "s are") only in the report.\n\n"
            }
            text += row
        }
        return text + "\n"
    }
}
