// Every output of a run says the same: what the judge counts, and what each document shows of it.
import FarmCI
import FarmCore
import FarmReports
import FarmTesting
import Foundation
import Testing

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
        // What never happens proves nothing.
        #expect((states[.passed] ?? 0) > 20 && (states[.failed] ?? 0) > 100, "\(states)")
        #expect((states[.incomplete] ?? 0) > 20, "\(states)")
    }
}

/// What the documents of one run say, held against its summary.
struct Agreement {
    let summary: RunSummary
    private(set) var faults: [String] = []

    init(_ summary: RunSummary) {
        self.summary = summary
        checkCounts()
        checkState()
        checkJUnit()
        checkPage()
        checkTerminalAndReport()
        checkGitHub()
    }

    private mutating func expect(_ isTrue: Bool, _ fault: String) {
        if !isTrue { faults.append(fault) }
    }

    private var redTests: [TestSummary] { summary.tests.filter { $0.isRed == true } }
    private var redPictures: [SnapshotSummary] { summary.snapshots.filter { $0.isRed == true } }

    private mutating func checkCounts() {
        var recount = VerdictCounts()
        for test in summary.tests { recount.add(test.verdict, isSkipped: test.skipped) }
        expect(recount == summary.counts, "counts are not those of the tests")
        var cells = VerdictCounts()
        for cell in summary.cells {
            for test in summary.tests where test.cell == cell.id {
                cells.add(test.verdict, isSkipped: test.skipped)
            }
        }
        expect(cells == summary.counts, "the cells do not add up to the counts")
        // A picture that is wrong is its test's verdict, or worse.
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

    private mutating func checkState() {
        expect((summary.state == .passed) == (summary.exitCode == 0), "state and exit code")
        let isRed =
            !redTests.isEmpty || !redPictures.isEmpty || summary.problems.contains { !$0.isNote }
        if summary.state == .failed { expect(isRed, "failed, and nothing is red") }
        if summary.state == .passed { expect(redTests.isEmpty, "passed with red tests") }
    }

    private mutating func checkJUnit() {
        let xml = JUnitReport.render(summary)
        let cases = xml.ranges(of: "<testcase ").count
        let bad = xml.ranges(of: "<failure ").count + xml.ranges(of: "<error ").count
        let skipped = xml.ranges(of: "<skipped ").count
        expect((bad > 0) == (summary.state != .passed), "JUnit has \(bad) failures")
        expect(cases >= summary.tests.count, "JUnit has \(cases) cases")
        expect(skipped >= summary.counts.skipped, "JUnit skips \(skipped)")
        expect(bad >= redTests.count, "JUnit has \(bad) failures of \(redTests.count) tests")
        expect(xml.contains("tests=\"\(cases)\""), "JUnit's own count")
        let causes = TestCauses(summary)
        for test in redTests {
            expect(!causes.cause(of: test).isEmpty, "\(test) has no cause")
            expect(xml.contains("message=\"\(causes.cause(of: test))\""), "JUnit: \(test.test)")
        }
    }

    private mutating func checkPage() {
        let page = HTMLReport.render(summary)
        let changed = summary.snapshots.filter { $0.verdict != .passed }.count
        expect(page.ranges(of: "class=\"change item\"").count == changed, "cards of the page")
        expect(page.contains("<small>\(changed)</small> "), "changes of the page")
        expect(page.contains("<td>\(summary.counts.planned)</td></tr></tfoot>"), "planned")
        if summary.counts.skipped > 0 {
            expect(page.contains("Skipped <small>\(summary.counts.skipped)</small>"), "skipped")
        }
        for word in [summary.state.rawValue, summary.run.id] {
            expect(page.contains(word), "the page lacks \(word)")
        }
        let zip = HTMLReport.render(summary, in: .zip)
        expect(zip.ranges(of: "class=\"change item\"").count == changed, "cards of the zip's page")
        expect(!zip.contains("src=\"../"), "the zip's page leaves the zip")
    }

    private mutating func checkTerminalAndReport() {
        let terminal = TerminalSummary.render(summary, style: .plain, width: nil)
        let report = MarkdownReport.render(summary, limitBytes: 1 << 20)
        let first = terminal.prefix { $0 != "\n" }
        expect(first.hasPrefix("\(summary.state.rawValue): "), "the terminal's first line")
        let headline = first.dropFirst(summary.state.rawValue.count + 2)
        // Markdown writes punctuation as references.
        expect(
            report.contains(headline.prefix { $0.isLetter || $0.isNumber || $0 == " " }),
            "headlines differ: \(headline)"
        )
        expect(!headline.contains("but the run is not"), "a headline without a cause")
        let open = summary.openPictures
        for picture in open where open.count <= 5 {
            expect(terminal.contains(picture.id), "the terminal lacks \(picture.id)")
        }
        for problem in summary.problems.prefix(3) {
            expect(report.contains(problem.code), "the report lacks \(problem.code)")
        }
    }

    private mutating func checkGitHub() {
        let comment = CommentSection.render(
            summary,
            links: CommentSection.Links(page: nil),
            bytesMax: 60_000
        )
        expect(comment.contains(": \(summary.state.rawValue)"), "the comment's state")
        for picture in summary.openPictures {
            expect(comment.contains("**\(picture.suite)** \(picture.title)"), "\(comment)")
        }
        let status = GitHubStatus(summary, page: nil)
        expect((status.state == .success) == (summary.state == .passed), "the status")
        expect(
            status.description.contains("\(summary.counts.passed) of \(summary.counts.planned)"),
            "the status says \(status.description)"
        )
        let outputs = CIOutputs(folder: "/out", report: "")
        let ci = CIEnvironment.detect(["GITHUB_ACTIONS": "true"])
        let lines = (ci?.deliveries(of: summary, outputs) ?? []).compactMap { step in
            if case .printLine(let line) = step { line } else { nil }
        }
        expect(lines.isEmpty == (summary.state == .passed), "\(lines.count) annotations")
        for test in redTests where lines.count < 9 {
            expect(lines.contains { $0.contains(test.test) }, "no annotation of \(test.test)")
        }
    }
}
