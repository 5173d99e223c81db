// The closing lines of a run. They answer, in this order: is it good, where is it not, what
// changed, what to do, where to look. Names come from test programs, so their control characters
// must not reach the terminal.
import FarmCore

/// Renders the last lines of a run for a terminal.
package enum TerminalSummary {
    package enum Style: Sendable {
        case plain
        case ansi
    }

    /// The files and commands that the last lines name; `nil` leaves a line out.
    package struct Places: Sendable {
        package var report: String?
        package var zip: String?
        /// The command that shows the run in a browser for review.
        package var review: String?
        /// The command that accepts the run's pictures.
        package var approve: String?

        package init(
            report: String? = nil,
            zip: String? = nil,
            review: String? = nil,
            approve: String? = nil
        ) {
            self.report = report
            self.zip = zip
            self.review = review
            self.approve = approve
        }
    }

    /// The most problems that are shown: a person mends the first few, and the report has all.
    private static let problemsMax = 8

    /// Returns the last lines of a run, with a line feed at the end.
    ///
    /// `width` is the number of the terminal's columns; fewer than 40 count as 40. Lines are
    /// clipped to it, except paths, which are for copying. With `nil` there is no terminal, and
    /// nothing is clipped.
    package static func render(
        _ summary: RunSummary,
        style: Style,
        width: Int?,
        places: Places = Places(),
        rejected: RejectedPictures = RejectedPictures()
    ) -> String {
        let ink = Ink(style: style)
        let columns = width.map { max(40, $0) } ?? .max
        let findings = RunFindings(summary)
        var lines = [ink.state(summary.state, headline(summary))]
        lines += CellTable(summary, ink: ink).lines(columns: columns)
        lines += causes(summary, findings.titles, ink: ink, columns: columns)
        lines += changes(summary, findings, ink: ink, columns: columns)
        lines += self.rejected(rejected, findings.titles, ink: ink, columns: columns)
        lines += quarantined(summary, ink: ink, columns: columns)
        lines += findings.problems.prefix(Self.problemsMax).flatMap {
            problem($0, ink: ink, columns: columns)
        }
        let rest = findings.problems.count - Self.problemsMax
        if rest > 0 { lines += ["", "and \(rest) more problems, in the report"] }
        let pointers = [
            ("Report", places.report), ("Diffs", places.zip), ("Review", places.review),
            ("Accept", places.approve),
        ]
        if pointers.contains(where: { $0.1 != nil }) { lines.append("") }
        for (name, path) in pointers {
            if let path { lines.append("\(ink.dim("\(name):")) \(LegalText.line(path))") }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns only the run's verdict, with a line feed at the end.
    ///
    /// For a red run, the command to review it follows, or its problem, or its report.
    package static func verdict(
        _ summary: RunSummary,
        style: Style,
        width: Int?,
        places: Places = Places()
    ) -> String {
        let ink = Ink(style: style)
        let columns = width.map { max(40, $0) } ?? .max
        var lines = [ink.state(summary.state, headline(summary))]
        let problem = RunFindings(summary).problems.first { !$0.problem.isNote }
        if summary.exitCode == 0 {
            return lines[0] + "\n"
        } else if let review = places.review {
            lines.append("\(ink.dim("Review:")) \(LegalText.line(review))")
        } else if let problem {
            lines += self.problem(problem, ink: ink, columns: columns).dropFirst()
        } else if let report = places.report {
            lines.append("\(ink.dim("Report:")) \(LegalText.line(report))")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func headline(_ summary: RunSummary) -> String {
        let took = Wording.duration(summary).map { " (\($0))" } ?? ""
        let part = summary.run.filtered ? " Only a part was run." : ""
        return
            "\(summary.state.rawValue): \(Wording.headline(summary, escaped: LegalText.line))\(took)\(part)"
    }

    private static func problem(
        _ finding: ProblemFinding,
        ink: Ink,
        columns: Int
    ) -> [String] {
        let problem = finding.problem
        let words = "\(problem.isNote ? "note: " : "")\(problem.code): \(finding.message)"
        let body = Columns.wrapped(LegalText.line(words), columns: columns)
        let rest = [finding.follows, problem.remedy].flatMap {
            Columns.wrapped(LegalText.line($0), columns: columns - 2)
        }
        return [""] + body.map { problem.isNote ? $0 : ink.bad($0) } + rest.map { "  " + $0 }
    }

    /// Returns the lines about the causes that changed pictures share; none without causes.
    private static func causes(
        _ summary: RunSummary,
        _ titles: RunTitles,
        ink: Ink,
        columns: Int
    ) -> [String] {
        let causes = PictureCause.all(of: summary)
        guard !causes.isEmpty else { return [] }
        let most = ReportLimits.terminalCausesMax
        let lines = causes.prefix(most).flatMap { cause in
            let words = LegalText.line(titles.name(of: cause))
            let extent = ", \(cause.extent)"
            let elements = cause.elements.map {
                "    " + ink.dim(Columns.clipped(LegalText.line($0), to: columns - 4))
            }
            return ["  " + Columns.clipped(words, to: columns - 2 - extent.count) + ink.dim(extent)]
                + elements
        }
        let rest = causes.count - most
        return ["", "\(PictureCause.count(causes, of: summary)):"] + lines
            + (rest > 0 ? ["  and \(rest) more cause\(rest == 1 ? "" : "s")"] : [])
    }

    private static func rejected(
        _ rejected: RejectedPictures,
        _ titles: RunTitles,
        ink: Ink,
        columns: Int
    ) -> [String] {
        guard !rejected.isEmpty else { return [] }
        var lines = ["", ink.bad(rejected.headline + ":")]
        for group in rejected.groups.prefix(ReportLimits.terminalChangesMax) {
            let name = Columns.clipped(
                LegalText.line(titles.name(of: group.pictures)),
                to: columns - 2
            )
            lines.append("  " + name)
            lines += Columns.wrapped(LegalText.line(group.words), columns: columns - 4).map {
                "    " + ink.dim($0)
            }
        }
        let rest = rejected.groups.count - ReportLimits.terminalChangesMax
        if rest > 0 { lines.append("  and \(rest) more \(rest == 1 ? "rejection" : "rejections")") }
        return lines
    }

    /// Returns the lines about quarantined failures, which do not count but which people must see
    /// to mend them.
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

    /// A change or a failure that the summary shows in one line with its words.
    private struct Line {
        let verdict: Verdict?
        let name: String
        let words: String
        /// The changes that this line shows; empty for a line about tests.
        var changes: [ChangeFinding] = []
        var tests = 0
        /// The text of an additional line below the words, for copying; empty for none.
        var last = ""
    }

    /// Returns the lines about changes, then those about tests that no picture shows, by their
    /// causes.
    private static func open(_ summary: RunSummary, _ findings: RunFindings) -> [Line] {
        let titles = findings.titles
        let tests = TestWords(summary).listed.filter {
            // Open pictures name their test, but not why it failed or did not reach them.
            let saysWhy = $0.verdict == .failed || $0.verdict == .errored
            return (saysWhy || findings.causes.pictures(of: $0).isEmpty)
                && !findings.isExplained($0)
        }
        let changes = ChangeFinding.all(of: summary) { picture in
            findings.isOpen(picture) && !findings.isExplained(picture)
        }
        return lines(changes, titles)
            + findings.grouped(tests).map {
                Line(
                    verdict: $0.verdict,
                    name: titles.name(of: $0.tests),
                    words: $0.cause,
                    tests: $0.tests.count,
                    last: last($0.tests.first)
                )
            }
    }

    /// Returns a line for each compared change, and one for all other changes with the same verdict
    /// and words.
    private static func lines(_ changes: [ChangeFinding], _ titles: RunTitles) -> [Line] {
        var groups: [[ChangeFinding]] = []
        var places: [String: Int] = [:]
        for change in changes {
            let isCompared = change.verdict == .changed || change.verdict == .moved
            let key = isCompared ? change.id : "\(change.verdict.rawValue) \(change.words)"
            if let place = places[key] {
                groups[place].append(change)
            } else {
                places[key] = groups.count
                groups.append([change])
            }
        }
        return groups.map { group in
            let pictures = group.flatMap(\.pictures)
            let name = group.count == 1 ? titles.name(of: group[0]) : titles.name(of: pictures)
            return Line(
                verdict: group[0].verdict,
                name: name,
                words: group[0].words,
                changes: group
            )
        }
    }

    /// Returns the line of a test's message about its log, or for a new picture the line about what
    /// to do; empty if there is none.
    private static func last(_ test: TestSummary?) -> String {
        let lines = (test?.message ?? "").split(separator: "\n").map(String.init)
        if test?.verdict == .new { return lines.dropFirst().last ?? "" }
        return lines.last { $0.hasPrefix("Log: ") } ?? ""
    }

    private static func changes(
        _ summary: RunSummary,
        _ findings: RunFindings,
        ink: Ink,
        columns: Int
    ) -> [String] {
        var lines = pictures(summary, findings, columns: columns)
        var open = open(summary, findings)
        guard !open.isEmpty else { return lines }
        let place = Dictionary(
            uniqueKeysWithValues: Wording.verdictOrder.enumerated().map { ($1, $0) }
        )
        func rank(_ line: Line) -> Int { line.verdict.flatMap { place[$0] } ?? -1 }
        // The sort is stable: within a verdict the summary's order stays.
        open.sort { rank($0) < rank($1) }
        lines.append("")
        for item in open.prefix(ReportLimits.terminalChangesMax) {
            let sign = ink.verdict(item.verdict, Wording.sign(item.verdict))
            let word = Wording.word(item.verdict)
            let name = Columns.clipped(LegalText.line(item.name), to: columns - word.count - 3)
            lines.append("\(sign) \(ink.verdict(item.verdict, word)) \(name)")
            let words = LegalText.line(item.words)
            if !words.isEmpty {
                lines.append("  " + ink.dim(Columns.clipped(words, to: columns - 2)))
            }
            lines += hunks(item, ink: ink, columns: columns)
            if !item.last.isEmpty { lines.append("  " + ink.dim(LegalText.line(item.last))) }
        }
        return lines + rest(open.dropFirst(ReportLimits.terminalChangesMax))
    }

    /// Returns the first lines of a text's difference; none for other lines.
    private static func hunks(_ item: Line, ink: Ink, columns: Int) -> [String] {
        let hunks = (item.changes.first?.shown.hunks ?? "").split(separator: "\n")
        let shown = hunks.prefix(ReportLimits.hunkLinesMax).map {
            "    "
                + Columns.clipped(
                    LegalText.code(String($0)).replacing("\t", with: "    "),
                    to: columns - 4
                )
        }
        return hunks.count > shown.count ? shown + [ink.dim("    …")] : shown
    }

    /// Returns the line that counts findings beyond the limit: `and 20 more changes in 284
    /// pictures, 3 more tests`.
    private static func rest(_ lines: some Collection<Line>) -> [String] {
        func more(_ count: Int, _ noun: String) -> String {
            "\(count) more \(noun)\(count == 1 ? "" : "s")"
        }
        let changes = lines.flatMap(\.changes)
        let snapshots = SnapshotCount(changes.lazy.flatMap(\.pictures))
        let tests = lines.reduce(0) { $0 + $1.tests }
        let parts = [
            changes.isEmpty
                ? ""
                : more(changes.count, "change") + " in \(snapshots.words)",
            tests == 0 ? "" : more(tests, "test"),
        ].filter { !$0.isEmpty }
        return parts.isEmpty ? [] : ["  and \(parts.joined(separator: ", "))"]
    }

    /// Returns the line that counts changes and open pictures, or none without changes.
    ///
    /// The table above it counts tests.
    private static func pictures(
        _ summary: RunSummary,
        _ findings: RunFindings,
        columns: Int
    ) -> [String] {
        guard !findings.changes.isEmpty else { return [] }
        var counts = VerdictCounts()
        for picture in summary.openPictures { counts.add(picture.verdict) }
        let words = counts.occurring.map { "\(counts[$0]) \($0.word)" }
        let line = "\(ChangeFinding.count(findings.changes)): \(words.joined(separator: ", "))."
        return [""] + Columns.wrapped(line, columns: columns)
    }
}
