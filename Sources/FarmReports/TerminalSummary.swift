// The closing lines of a run. They answer, in this order: is it good, where is it not, what
// changed, what to do, where to look. Names come from test programs, so no control character of
// theirs reaches the terminal.
import FarmCore

/// Renders the last lines a person reads on a terminal.
package enum TerminalSummary {
    package enum Style: Sendable {
        case plain
        case ansi
    }

    /// Where the things lie that the lines point to; nil where there is none.
    package struct Places: Sendable {
        package var report: String?
        package var zip: String?
        /// The command that accepts what the run shows.
        package var approve: String?

        package init(report: String? = nil, zip: String? = nil, approve: String? = nil) {
            self.report = report
            self.zip = zip
            self.approve = approve
        }
    }

    /// A person mends the first few; the report has them all.
    private static let problemsMax = 8

    /// The closing lines, with a line feed at the end.
    ///
    /// `width` counts the terminal's columns, at least 40; lines are clipped to it, but a path is
    /// for copying and never clipped. Nil: no terminal, and nothing is clipped.
    package static func render(
        _ summary: RunSummary,
        style: Style,
        width: Int?,
        places: Places = Places()
    ) -> String {
        let ink = Ink(style: style)
        let columns = width.map { max(40, $0) } ?? .max
        var lines = [ink.state(summary.state, headline(summary))]
        lines += CellTable(summary, ink: ink).lines(columns: columns)
        lines += changes(summary, ink: ink, columns: columns)
        lines += quarantined(summary, ink: ink, columns: columns)
        for problem in summary.problemsByWeight.prefix(Self.problemsMax) {
            lines.append("")
            lines += Columns.wrapped(
                "\(problem.isNote ? "note: " : "")\(problem.code): "
                    + LegalText.line(problem.message),
                columns: columns
            ).map { problem.isNote ? $0 : ink.bad($0) }
            lines += Columns.wrapped(
                LegalText.line(problem.remedy),
                columns: columns - 2
            ).map { "  " + $0 }
        }
        if summary.problems.count > Self.problemsMax {
            lines += [
                "", "and \(summary.problems.count - Self.problemsMax) more problems, in the report",
            ]
        }
        let pointers = [
            ("Report", places.report), ("Diffs", places.zip), ("Accept", places.approve),
        ]
        if pointers.contains(where: { $0.1 != nil }) { lines.append("") }
        for (name, path) in pointers {
            if let path { lines.append("\(ink.dim("\(name):")) \(LegalText.line(path))") }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func headline(_ summary: RunSummary) -> String {
        let took = Wording.duration(summary.run).map { " (\($0))" } ?? ""
        let part = summary.run.filtered ? " Only a part was run." : ""
        return
            "\(summary.state.rawValue): \(Wording.headline(summary, escaped: LegalText.line))\(took)\(part)"
    }

    /// Known bad and not counted; shown, or it would never be mended.
    private static func quarantined(
        _ summary: RunSummary,
        ink: Ink,
        columns: Int
    ) -> [String] {
        guard let list = summary.quarantined, !list.isEmpty else { return [] }
        var lines = [""]
        for item in list.prefix(ReportLimits.terminalChangesMax) {
            let name = LegalText.line("\(item.cell)/\(item.name): \(item.words)")
            lines.append(
                ink.dim(
                    Columns.clipped("quarantined \(item.verdict.rawValue): \(name)", to: columns)
                )
            )
        }
        let rest = list.count - ReportLimits.terminalChangesMax
        if rest > 0 { lines.append("  and \(rest) more quarantined") }
        return lines
    }

    /// One line of what is not as expected, with what was found.
    private struct Line {
        let verdict: Verdict?
        let name: String
        let words: String
        var log = ""
    }

    /// Tests that no picture shows; those with one cause are one line.
    private static func tests(_ summary: RunSummary) -> [Line] {
        struct Cause: Hashable {
            let verdict: Verdict?
            let words: String
        }
        let causes = TestCauses(summary)
        var lines: [Line] = []
        let told = TestWords(summary).listed.filter { causes.pictures(of: $0).isEmpty }
        let alike = Dictionary(grouping: told) {
            Cause(verdict: $0.verdict, words: causes.cause(of: $0))
        }
        for test in told {
            let cause = causes.cause(of: test)
            let group = alike[Cause(verdict: test.verdict, words: cause)] ?? []
            let isFolded = group.count > 1 && !cause.isEmpty
            if isFolded, group.first != test { continue }
            lines.append(
                Line(
                    verdict: test.verdict,
                    name: "\(test.cell)/\(test.test)"
                        + (isFolded ? " and \(group.count - 1) more" : ""),
                    words: cause,
                    log: test.message.split(separator: "\n").last { $0.hasPrefix("Log: ") }
                        .map(String.init) ?? ""
                )
            )
        }
        return lines
    }

    private static func changes(_ summary: RunSummary, ink: Ink, columns: Int) -> [String] {
        let pictures = summary.openPictures
        var open = pictures.map { Line(verdict: $0.verdict, name: $0.id, words: $0.words) }
        // A test that is red, whatever for, is shown by its open pictures.
        open += tests(summary)
        guard !open.isEmpty else { return [] }
        let place = Dictionary(
            uniqueKeysWithValues: Wording.verdictOrder.enumerated().map { ($1, $0) }
        )
        func rank(_ line: Line) -> Int { line.verdict.flatMap { place[$0] } ?? -1 }
        // The sort is stable: within a verdict the summary's order stays.
        open.sort { rank($0) < rank($1) }
        var lines = [""]
        for item in open.prefix(ReportLimits.terminalChangesMax) {
            let sign = ink.verdict(item.verdict, Wording.sign(item.verdict))
            let word = Wording.word(item.verdict)
            let name = Columns.clipped(LegalText.line(item.name), to: columns - word.count - 3)
            lines.append("\(sign) \(ink.verdict(item.verdict, word)) \(name)")
            let words = LegalText.line(item.words)
            if !words.isEmpty {
                lines.append("  " + ink.dim(Columns.clipped(words, to: columns - 2)))
            }
            // A path is for copying.
            if !item.log.isEmpty { lines.append("  " + ink.dim(LegalText.line(item.log))) }
        }
        let rest = open.count - ReportLimits.terminalChangesMax
        if rest > 0 { lines.append("  and \(rest) more") }
        return lines
    }
}
