// What one run says in the comment of a pull request: a headline, one row for each change on all its
// cells, failed tests, and where to go on. The matrix and every single cell are in the report.
import FarmCore

/// Renders a run's section of a comment.
package enum CommentSection {
    /// Pictures that the reader's browser can fetch from the Git host, by snapshot id.
    package struct Picture: Sendable {
        package var reference: String?
        package var now: String?

        package init(reference: String?, now: String?) {
            self.reference = reference
            self.now = now
        }
    }

    /// Where a reader goes on.
    package struct Links: Sendable {
        /// The CI's own page of the job, where its artifacts are.
        package var page: String?
        package var pictures: [String: Picture]

        package init(page: String?, pictures: [String: Picture] = [:]) {
            self.page = page
            self.pictures = pictures
        }
    }

    /// The section in at most `bytesMax` bytes of UTF-8; what did not fit is counted.
    package static func render(_ summary: RunSummary, links: Links, bytesMax: Int) -> String {
        let cells = CellDirectory(summary)
        let head = head(summary)
        let foot = foot(summary, links)
        var room = bytesMax - head.utf8.count - foot.utf8.count
        let changes = changes(summary, cells, links)
        let tests = TestWords(summary).listed
        let parts = [
            (summary.problemsByWeight.map(problem), "", "problems"),
            (changes.rows, changes.title, "changes"),
            (grouped(tests).map { row($0, cells) }, "", "tests"),
        ]
        var body = ""
        for (rows, title, what) in parts where !rows.isEmpty {
            let block = fitted(rows, title: title, within: room, what: what)
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

    private static func foot(_ summary: RunSummary, _ links: Links) -> String {
        let run = summary.run
        var words = run.id.isEmpty ? [] : ["run \(MarkdownText.code(run.id))"]
        if !run.commit.isEmpty { words.append("commit \(run.commit.prefix(12))") }
        if let page = links.page, let url = link(page) {
            words.append("[report and pictures](\(url)) are among the job's artifacts")
        }
        var text = words.isEmpty ? "" : words.joined(separator: " · ") + "\n"
        let canBeApproved: Set<Verdict> = [.changed, .new, .moved]
        let isReviewed = summary.state == .failed && run.shard == nil && !run.id.isEmpty
        guard isReviewed, summary.snapshots.contains(where: { canBeApproved.contains($0.verdict) })
        else { return text }
        text +=
            "\nThe new pictures are right? Take `FailureDiffs.zip` from the job's artifacts:\n\n"
        text +=
            "```sh\nsnapfarm approve --from FailureDiffs.zip  # run \(run.id)\n```\n"
            + "On the machine that ran it: `snapfarm approve --run \(run.id)`.\n"
        return text
    }

    /// A URL that ends where it should; nil for anything else.
    private static func link(_ url: String) -> String? {
        let isPlain = url.unicodeScalars.allSatisfy {
            $0.value > 32 && $0.value < 127 && !"()<>\"\\`".unicodeScalars.contains($0)
        }
        return isPlain && (url.hasPrefix("https://") || url.hasPrefix("http://")) ? url : nil
    }

    private static func problem(_ problem: Problem) -> String {
        "- \(problem.isNote ? "note: " : "")**\(MarkdownText.plain(problem.code))**: "
            + "\(MarkdownText.plain(problem.message)) "
            + "\(MarkdownText.plain(problem.remedy))\n"
    }

    // MARK: changes

    private static func changes(
        _ summary: RunSummary,
        _ cells: CellDirectory,
        _ links: Links
    ) -> (title: String, rows: [String]) {
        let changed = summary.openPictures
        let showsPictures = changed.contains { links.pictures[$0.id] != nil }
        let columns = ["change", "on", "found"] + (showsPictures ? ["reference", "now"] : [])
        let title =
            "|\(columns.joined(separator: "|"))|\n|\(columns.map { _ in "---|" }.joined())\n"
        let rows = PictureSuite.grouped(changed, cells: cells).flatMap { suite in
            suite.groups.map { group in
                row(suite.name, group, cells, showsPictures ? links : nil)
            }
        }
        return (title, rows)
    }

    /// One screen on all cells where it is not as expected; its worst picture speaks for it.
    private static func row(
        _ suite: String,
        _ group: PictureGroup,
        _ cells: CellDirectory,
        _ links: Links?
    ) -> String {
        let worst = group.pictures.max { worth($0) < worth($1) }
        let verdicts = Wording.verdictOrder.filter { verdict in
            group.pictures.contains { $0.verdict == verdict }
        }
        let kinds = verdicts.map { verdict in
            let count = group.pictures.count { $0.verdict == verdict }
            let number = verdicts.count > 1 ? " (\(count))" : ""
            return "\(Wording.sign(verdict)) \(verdict.rawValue)\(number)"
        }
        var columns = [
            "\(kinds.joined(separator: ", ")) **\(MarkdownText.plain(suite))** "
                + MarkdownText.plain(group.identifier),
            on(group.pictures.map(\.cell), cells), MarkdownText.plain(worst?.words ?? ""),
        ]
        if let links {
            let shown = worst.flatMap { links.pictures[$0.id] }
            columns += [shown?.reference, shown?.now].map { url in
                url.flatMap(link).map { "<img src=\"\($0)\" width=\"160\">" } ?? ""
            }
        }
        return "|\(columns.joined(separator: "|"))|\n"
    }

    private static func worth(_ picture: SnapshotSummary) -> Double {
        Double(picture.verdict.severity) + picture.share
    }

    /// `12 cells: iPhone 8 (13.1) dark, …`.
    private static func on(_ ids: [String], _ cells: CellDirectory) -> String {
        var seen: Set<String> = []
        let names = ids.filter { seen.insert($0).inserted }.map(cells.title)
        let shown = names.prefix(cellsShownMax).map(MarkdownText.plain).joined(separator: ", ")
        guard names.count > 1 else { return shown }
        return "\(names.count) cells: \(shown)" + (names.count > cellsShownMax ? ", …" : "")
    }
    private static let cellsShownMax = 3

    // MARK: tests

    /// The same test on many cells, in the order of the first.
    private static func grouped(_ tests: [TestSummary]) -> [[TestSummary]] {
        var places: [[String]: Int] = [:]
        var groups: [[TestSummary]] = []
        for test in tests {
            let key = [test.job, test.test, test.verdict?.rawValue ?? ""]
            if let place = places[key] {
                groups[place].append(test)
            } else {
                places[key] = groups.count
                groups.append([test])
            }
        }
        return groups
    }

    private static func row(_ tests: [TestSummary], _ cells: CellDirectory) -> String {
        guard let first = tests.first else { return "" }
        let message = first.message.split(separator: "\n").first.map(String.init) ?? ""
        return "- \(Wording.sign(first.verdict)) **\(Wording.word(first.verdict))** "
            + "\(MarkdownText.code(first.test)) on \(on(tests.map(\.cell), cells))"
            + (message.isEmpty ? "" : ": \(MarkdownText.plain(message))") + "\n"
    }

    /// As many rows as fit, and how many did not.
    private static func fitted(
        _ rows: [String],
        title: String,
        within bytesMax: Int,
        what: String
    ) -> String {
        let noteBytes = 60
        var text = title
        for (index, row) in rows.enumerated() {
            guard text.utf8.count + row.utf8.count + noteBytes <= bytesMax else {
                let rest = "\n\(rows.count - index) \(index == 0 ? "" : "more ")\(what) "
                return (index == 0 ? "" : text) + rest + "are in the report.\n\n"
            }
            text += row
        }
        return text + "\n"
    }
}
