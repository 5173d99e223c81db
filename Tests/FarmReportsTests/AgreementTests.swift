// Tests that every output of a run agrees with the judge's counts and with the other documents.
import FarmCore
import FarmReports
import FarmTesting
import Foundation
import Testing

@testable import FarmImaging
@testable import FarmRun

@Suite("All outputs of a run agree")
struct AgreementTests {
    private static let runs = 500

    @Test("in 500 random runs counts, pictures and every document say one thing")
    func agree() throws {
        var generator = SeededGenerator.announced("AgreementTests.agree")
        var states: [RunState: Int] = [:]
        for number in 0..<Self.runs {
            let summary = RunJudge.judge(try RandomRun.evidence(&generator)).summary
            states[summary.state, default: 0] += 1
            let faults = Agreement(summary).faults
            #expect(faults.isEmpty, "run \(number): \(faults.joined(separator: "; "))")
            if !faults.isEmpty { return }
        }
        // A state that never occurs would not be tested.
        #expect((states[.passed] ?? 0) > 20 && (states[.failed] ?? 0) > 100, "\(states)")
        #expect((states[.incomplete] ?? 0) > 20, "\(states)")
    }
}

/// Compares the documents of one run with its summary.
struct Agreement {
    let summary: RunSummary
    let findings: RunFindings
    private(set) var faults: [String] = []

    init(_ summary: RunSummary) {
        self.summary = summary
        findings = RunFindings(summary)
        checkCounts()
        checkChanges()
        checkState()
        checkJUnit()
        checkPage()
        checkTerminal()
        checkReport()
        checkComment()
        checkStatus()
        checkAnnotations()
    }

    private mutating func expect(_ isTrue: Bool, _ fault: String) {
        if !isTrue { faults.append(fault) }
    }

    private var redTests: [TestSummary] { summary.tests.filter { $0.isRed == true } }
    private var redPictures: [SnapshotSummary] { summary.snapshots.filter { $0.isRed == true } }
    private var redProblems: [ProblemFinding] {
        findings.problems.filter { !$0.problem.isNote }
    }

    /// Open pictures without a problem about them.
    private var ownPictures: [SnapshotSummary] {
        summary.openPictures.filter { !findings.isExplained($0) }
    }

    /// Tests that need an entry of their own: no problem and no open picture shows their message.
    private var ownTests: [TestSummary] {
        let open = Set(summary.openPictures.map { [$0.job, $0.cell, $0.test] })
        return summary.tests.filter { test in
            guard test.verdict != .passed, !findings.isExplained(test) else { return false }
            guard test.isAboutPictures else { return true }
            return !test.message.isEmpty && !open.contains([test.job, test.cell, test.test])
        }
    }

    private mutating func checkCounts() {
        var recount = VerdictCounts()
        for test in summary.tests { recount.add(test.verdict, isSkipped: test.skipped) }
        expect(recount == summary.counts, "counts are not those of the tests")
        let skipped = summary.tests.filter { $0.skipped && $0.verdict == .passed }.count
        let passed = summary.tests.filter { !$0.skipped && $0.verdict == .passed }.count
        expect(
            summary.counts.skipped == skipped && summary.counts.passed == passed,
            "skipped tests are not counted apart"
        )
        var cells = VerdictCounts()
        for cell in summary.cells {
            for test in summary.tests where test.cell == cell.id {
                cells.add(test.verdict, isSkipped: test.skipped)
            }
        }
        expect(cells == summary.counts, "the cells do not add up to the counts")
        // Unless it is flaky, a test's verdict is at least as severe as that of its pictures.
        for picture in redPictures {
            guard
                let test = summary.tests.first(where: {
                    $0.test == picture.test && $0.cell == picture.cell && $0.job == picture.job
                })
            else { continue }
            let severity = test.verdict?.severity ?? .max
            expect(
                severity >= picture.verdict.severity || test.verdict == .flaky,
                "\(test.test) is \(String(describing: test.verdict)), its picture \(picture.verdict)"
            )
        }
        let compared = summary.comparisons
        expect(
            compared.total == compared.decoded + compared.identicalByDigest
                && compared.total <= summary.snapshots.count
                && compared.differing <= compared.decoded,
            "comparisons do not count once: \(compared)"
        )
    }

    /// Returns the numbers of changes and pictures among the shown ones, as text.
    private func counted(_ isShown: (SnapshotSummary) -> Bool) -> String {
        let shown = Set(summary.snapshots.filter(isShown).map(\.id))
        let count = (summary.changes ?? []).filter { !shown.isDisjoint(with: $0.snapshots) }.count
        return "\(count) change\(count == 1 ? "" : "s") in "
            + "\(shown.count) picture\(shown.count == 1 ? "" : "s")"
    }

    private mutating func checkChanges() {
        let changes = summary.changes ?? []
        let rows = Dictionary(uniqueKeysWithValues: summary.snapshots.map { ($0.id, $0) })
        let listed = changes.flatMap(\.snapshots)
        let open = summary.snapshots.filter { $0.verdict != .passed }.map(\.id)
        expect(listed.sorted() == open.sorted(), "the changes are not the open pictures, once")
        expect(Set(changes.map(\.id)).count == changes.count, "two changes have one id")
        for change in changes {
            let pictures = change.snapshots.compactMap { rows[$0] }
            let screens = Set(pictures.map { findings.titles.title(of: $0) })
            expect(
                screens.count == 1 && Set(pictures.map(\.verdict)).count == 1,
                "\(change) mixes screens or verdicts"
            )
            expect(change.words == pictures.first?.words, "\(change) has other words")
            let cells = Set(pictures.map(\.cell)).count
            let count = Int(change.cells.prefix { $0.isNumber }) ?? 1
            expect(cells == 1 || count == cells, "\(change) is not on \(cells) cells")
        }
    }

    private mutating func checkState() {
        expect((summary.state == .passed) == (summary.exitCode == 0), "state and exit code")
        let isRed =
            !redTests.isEmpty || !redPictures.isEmpty || summary.problems.contains { !$0.isNote }
        if summary.state == .failed { expect(isRed, "failed, and nothing is red") }
        if summary.state == .passed { expect(redTests.isEmpty, "passed with red tests") }
    }

    private mutating func checkJUnit() {
        let xml = JUnitReport.render(summary)
        let isUnsettled: Set<Verdict?> = [nil, .errored]
        let unsettled = redTests.filter { isUnsettled.contains($0.verdict) }
        let orphans = findings.causes.orphans
        let open = summary.openPictures
        let problems = summary.state == .passed ? 0 : redProblems.count
        let alone = orphans.filter { open.contains($0) }
        let cases = summary.tests.count + alone.count + problems
        let failures =
            redTests.count - unsettled.count + orphans.filter { $0.isRed == true }.count
        let totals =
            "tests=\"\(cases)\" failures=\"\(failures)\" "
            + "errors=\"\(unsettled.count + problems)\" skipped=\"\(summary.counts.skipped)\""
        let root = xml.split(separator: "\n").first { $0.hasPrefix("<testsuites") } ?? ""
        expect(root.contains(totals), "JUnit says \(root), not \(totals)")
        expect((failures + unsettled.count + problems > 0) == (summary.state != .passed), "red")
        for (element, count) in [
            ("<testcase ", cases), ("<failure ", failures),
            ("<error ", unsettled.count + problems), ("<skipped ", summary.counts.skipped),
        ] {
            expect(xml.ranges(of: element).count == count, "JUnit's \(element)s are not \(count)")
        }
        for test in redTests {
            let cause = findings.causes.cause(of: test)
            expect(!cause.isEmpty, "\(test) has no cause")
            expect(xml.contains("message=\"\(cause)\""), "JUnit: \(test.test)")
        }
    }

    private mutating func checkPage() {
        let page = HTMLReport.render(summary)
        let open = summary.snapshots.filter { $0.verdict != .passed }.count
        // A picture outside of the summary's changes is shown as a change of its own.
        let grouped = summary.changes ?? []
        let changed = open - grouped.reduce(0) { $0 + $1.snapshots.count } + grouped.count
        expect(page.ranges(of: "class=\"change item\"").count == changed, "cards of the page")
        expect(page.contains("<h2 id=\"changes\">Changes <small>\(changed)</small>"), "changes")
        expect(page.contains("<td>\(summary.counts.planned)</td></tr></tfoot>"), "planned")
        if summary.counts.skipped > 0 {
            expect(page.contains("Skipped <small>\(summary.counts.skipped)</small>"), "skipped")
        }
        for word in [summary.state.rawValue, summary.run.id] {
            expect(page.contains(word), "the page lacks \(word)")
        }
        let entries =
            page.ranges(of: "<article class=\"test item\"").count
            + page.ranges(of: "<li class=\"item\"").count
        // A test whose pictures are shown has no entry of its own.
        let followers = summary.tests.count { findings.isExplained($0) && !$0.isAboutPictures }
        expect(entries == ownTests.count + followers, "the page lists \(entries) tests")
        let zip = HTMLReport.render(summary, in: .zip)
        expect(zip.ranges(of: "class=\"change item\"").count == changed, "cards of the zip's page")
        expect(!zip.contains("src=\"../"), "the zip's page leaves the zip")
    }

    /// Returns the terminal's one-sentence summary of the run.
    private func headline(_ terminal: String) -> String {
        let first = terminal.prefix { $0 != "\n" }
        let start = "\(summary.state.rawValue): "
        let end = first.range(of: " (1.0 s)", options: .backwards)?.lowerBound
        return first.hasPrefix(start)
            ? String(first[..<(end ?? first.endIndex)].dropFirst(start.count)) : ""
    }

    private mutating func checkTerminal() {
        let terminal = TerminalSummary.render(summary, style: .plain, width: nil)
        let headline = headline(terminal)
        expect(!headline.isEmpty, "the terminal's first line")
        expect(!headline.contains("but the run is not"), "a headline without a cause")
        var counts: [Verdict: Int] = [:]
        for picture in summary.openPictures { counts[picture.verdict, default: 0] += 1 }
        let words = Self.verdicts.compactMap { verdict in
            counts[verdict].map { "\($0) \(verdict.rawValue)" }
        }
        let line = "\n\(counted(findings.isOpen)): \(words.joined(separator: ", ")).\n"
        expect(words.isEmpty || terminal.contains(line), "the terminal does not say \(line)")
        let lines = terminal.matches(of: #/\n\d+ changes? in \d+ pictures?: /#).count
        expect(lines == (words.isEmpty ? 0 : 1), "pictures of no run")
        let shown = terminal.split(separator: "\n").compactMap(Self.told)
        let left = terminal.firstMatch(of: #/\n  and \d+ more (change|test).*\n/#)?.0 ?? ""
        let rest = [#/ in (\d+) picture/#, #/(\d+) more test/#].reduce(0) { sum, number in
            sum + (left.firstMatch(of: number).flatMap { Int($0.1) } ?? 0)
        }
        let tests = ownTests.filter { test in
            test.verdict == .failed || test.verdict == .errored
                || findings.causes.pictures(of: test).isEmpty
        }
        let told = shown.reduce(0, +) + rest
        expect(
            told == ownPictures.count + tests.count,
            "the terminal tells \(told) of \(ownPictures.count) pictures, \(tests.count) tests"
        )
        for picture in ownPictures where ownPictures.count <= 3 && tests.isEmpty {
            let title = findings.titles.title(of: picture)
            expect(terminal.contains(title), "the terminal lacks \(title)")
        }
    }

    private static let verdicts: [Verdict] = [
        .errored, .failed, .changed, .missing, .unreached, .new, .moved, .flaky,
    ]

    /// Returns the number of tests or pictures in a line of the terminal, or `nil` for another
    /// line.
    private static func told(_ line: Substring) -> Int? {
        guard let match = line.firstMatch(of: #/^[?!✕≠−…+→~] (no verdict|[a-z]+) (.*)$/#) else {
            return nil
        }
        return count(match.2)
    }

    /// Returns the number of tests or pictures that a name stands for.
    private static func count(_ name: Substring) -> Int {
        let number =
            name.firstMatch(of: #/^(\d+) (tests|pictures): /#).map { $0.1 }
            ?? name.firstMatch(of: #/ on (\d+) cells: /#).map { $0.1 }
        return number.flatMap { Int($0) } ?? 1
    }

    private mutating func checkReport() {
        let report = MarkdownReport.render(summary, limitBytes: 1 << 20)
        let headline = headline(TerminalSummary.render(summary, style: .plain, width: nil))
        // Markdown shortens a long problem, so only the beginning is compared.
        expect(Self.plain(report).contains(headline.prefix(250)), "headlines differ: \(headline)")
        func isShown(_ picture: SnapshotSummary) -> Bool {
            picture.verdict != .passed
                && !(picture.verdict == .missing && findings.isExplained(picture))
        }
        let changed = summary.snapshots.contains(where: isShown)
        let tests = ownTests.count
        expect(report.contains("## \(counted(isShown))\n") == changed, counted(isShown))
        expect(report.contains("## Tests (\(tests))") == (tests > 0), "tests: \(tests)")
        let problems = report.ranges(of: "\n- **").count + report.ranges(of: "\n- note: **").count
        expect(problems == findings.problems.count, "the report has \(problems) problems")
    }

    private mutating func checkComment() {
        let comment = CommentSection.render(
            summary,
            links: CommentSection.Links(page: nil),
            bytesMax: 60_000
        )
        expect(comment.contains(": \(summary.state.rawValue)"), "the comment's state")
        let headline = headline(TerminalSummary.render(summary, style: .plain, width: nil))
        expect(Self.plain(comment).contains(headline.prefix(250)), "the comment's headline")
        for picture in ownPictures {
            let title = findings.titles.title(of: picture)
            expect(comment.contains("**\(title)**"), "the comment lacks \(title)")
        }
        var pictures = 0
        var tests = 0
        for line in comment.split(separator: "\n") {
            if let row = line.firstMatch(of: #/^\|[?!✕≠−…+→~] .*\*\*\|([^|]*)\|/#) {
                let cells = Self.plain(String(row.1))
                pictures += cells.firstMatch(of: #/^(\d+) cells: /#).flatMap { Int($0.1) } ?? 1
            } else if let row = line.firstMatch(of: #/^- [?!✕≠−…+→~] \*\*[a-z ]+\*\* (.*)$/#) {
                tests += Self.count(Self.plain(String(row.1))[...])
            }
        }
        expect(pictures == ownPictures.count, "the comment tells \(pictures) pictures")
        let own = counted { findings.isOpen($0) && !findings.isExplained($0) }
        expect(comment.contains("**\(own)**") == !ownPictures.isEmpty, "the comment lacks \(own)")
        expect(tests == ownTests.count, "the comment tells \(tests) tests")
    }

    private mutating func checkStatus() {
        let status = CommitStatus(summary, page: nil)
        expect((status.state == .success) == (summary.state == .passed), "the status")
        let counts = summary.counts
        let words = [
            (counts.skipped, "skipped"), (counts.changed, "changed"), (counts.moved, "moved"),
            (counts.new, "new"), (counts.missing, "missing"), (counts.unreached, "unreached"),
            (counts.flaky, "flaky"), (counts.failed, "failed"), (counts.errored, "errored"),
            (counts.withoutVerdict, "without verdict"),
        ]
        for (count, word) in words {
            let says = status.description.contains(" \(count) \(word)")
            let isSaid = status.description.contains(" \(word)")
            expect(count > 0 ? says : !isSaid, "the status says \(status.description)")
        }
        let good = status.description.firstMatch(of: #/(\d+) (of \d+ )?passed/#)
        expect(good.flatMap { Int($0.1) } == counts.passed, "passed: \(status.description)")
    }

    private mutating func checkAnnotations() {
        let outputs = CIOutputs(folder: "/out", report: "")
        let ci = CIEnvironment.detect(["GITHUB_ACTIONS": "true"])
        let lines = (ci?.deliveries(of: summary, outputs) ?? []).compactMap { step in
            if case .printLine(let line) = step { line } else { nil }
        }
        expect(lines.isEmpty == (summary.state == .passed), "\(lines.count) annotations")
        let messages = JUnitReport.render(summary).matches(of: #/message="([^"]*)"/#).map {
            Self.plain(String($0.1))
        }
        var told = 0
        for line in lines {
            guard let note = line.firstMatch(of: #/^::error title=([a-z ]+)%3A (.*?)::(.*)$/#)
            else { continue }
            told += Self.count(Self.unescaped(note.2)[...])
            // JUnit's message of a test adds the picture's name and drops the full stop. An
            // annotation of several tests has their common message.
            let cause = Self.unescaped(note.3).split(separator: "\n").first ?? ""
            let words = cause.hasSuffix(".") ? cause.dropLast() : cause
            expect(messages.contains { $0.hasPrefix(words) }, "JUnit does not say \(cause)")
        }
        let tests = redTests.filter { !findings.isExplained($0) }.count
        let orphans = findings.causes.orphans.filter {
            $0.isRed == true && !findings.isExplained($0)
        }.count
        // GitHub shows ten annotations; the rest is counted by findings, not by tests.
        let isWhole = !lines.contains { $0.contains(" more findings are in the summary") }
        guard isWhole, summary.state != .passed else { return }
        expect(told == tests + orphans, "annotations tell \(told) of \(tests) and \(orphans)")
        let problems = lines.filter { line in
            redProblems.contains { line.hasPrefix("::error title=\($0.problem.code)::") }
        }
        expect(problems.count == redProblems.count, "annotations of \(problems.count) problems")
    }

    /// Returns Markdown or XML as plain text.
    private static func plain(_ text: String) -> String {
        var text = text
        for (entity, sign) in [
            ("&#58;", ":"), ("&#95;", "_"), ("&#96;", "`"), ("&#42;", "*"), ("&#36;", "$"),
            ("&#39;", "'"), ("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"),
        ] {
            text = text.replacing(entity, with: sign)
        }
        return text
    }

    /// Returns a text as GitHub's runner decodes it.
    private static func unescaped(_ text: Substring) -> String {
        String(text).replacing("%0A", with: "\n").replacing("%3A", with: ":")
            .replacing("%2C", with: ",").replacing("%25", with: "%")
    }
}
