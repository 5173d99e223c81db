// Tests of the first line of a run's reports: what was as expected, and what only an earlier run's
// pictures say.
import FarmCore
import FarmReports
import Testing

@Suite("The headline of a run")
struct HeadlineTests {
    private func green(_ counts: (inout VerdictCounts) -> Void) -> RunSummary {
        var summary = Fixture.green()
        summary.counts = VerdictCounts()
        counts(&summary.counts)
        return summary
    }

    private func line(_ summary: RunSummary) -> String {
        let text = TerminalSummary.render(summary, style: .plain, width: nil)
        return String(text.prefix { $0 != "\n" })
    }

    @Test("counts accepted new tests and quarantined ones apart from those as expected")
    func accepted() {
        var summary = green { counts in
            for verdict in [Verdict.passed, .passed, .flaky, .new, .new, .changed] {
                counts.add(verdict)
            }
        }
        let key = TestKey(job: JobName("a"), cell: .host, test: TestID("t"))
        let entry = QuarantineEntry(test: "t", until: "2026-12-31", reason: "known")
        summary.quarantined = [QuarantinedSummary(key, verdict: .changed, entry: entry)]
        let words =
            "3 of 6 tests as expected, 1 of them flaky, 2 new accepted, 1 bad but quarantined."
        #expect(line(summary).hasPrefix("passed: \(words)"), "\(line(summary))")
        #expect(HTMLReport.render(summary).contains(words))
        summary.run.mode = .record
        #expect(line(summary).hasPrefix("passed: 6 tests recorded"), "\(line(summary))")
    }

    @Test("of a judgement names the judged run, and no duration")
    func judgement() {
        var summary = Fixture.green()
        let run = summary.run.id
        summary.run.id += "-0123abcd"
        #expect(line(summary).hasSuffix("s)") && HTMLReport.render(summary).contains(">took<"))
        summary.problems = [Problem(code: "judged-again", message: "no test ran.", remedy: "")]
        #expect(line(summary).hasPrefix("passed: judged again: "), "\(line(summary))")
        #expect(!line(summary).hasSuffix("s)"), "\(line(summary))")
        let page = HTMLReport.render(summary)
        #expect(page.contains("snapfarm · judgement of run: <bdi>\(run)</bdi></p>"))
        #expect(!page.contains(">took<"))
        let report = MarkdownReport.render(summary, limitBytes: 60_000)
        #expect(report.contains("judgement of run <code>\(run)</code>"))
        #expect(!report.contains("took <code>") && !report.contains("mode <code>"))
    }
}
