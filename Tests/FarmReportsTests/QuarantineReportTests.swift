import FarmCore
import FarmReports
import Foundation
import Testing

@Suite("Quarantine in the reports")
struct QuarantineReportTests {
    /// Returns the fixture with its changed test under quarantine.
    static func summary() throws -> RunSummary {
        var summary = Fixture.summary()
        let test = try #require(summary.tests.first { $0.verdict == .changed })
        let key = TestKey(
            job: JobName(test.job),
            cell: CellID(test.cell),
            test: TestID(test.test)
        )
        let entry = QuarantineEntry(
            test: test.test,
            until: "2026-12-31",
            reason: "flickers <since> #512"
        )
        summary.quarantined = [QuarantinedSummary(key, verdict: .changed, entry: entry)]
        return summary
    }

    @Test("every report lists it with its reason and its day; JUnit skips it")
    func listed() throws {
        let summary = try Self.summary()
        let markdown = MarkdownReport.render(summary, limitBytes: 60_000)
        #expect(markdown.contains("## Quarantined (1)"))
        #expect(markdown.contains("quarantined until 2026-12-31"))
        let page = HTMLReport.render(summary)
        #expect(page.contains("not counted until 2026-12-31: flickers &lt;since&gt; #512"))
        let terminal = TerminalSummary.render(summary, style: .plain, width: 120)
        #expect(terminal.contains("quarantined until 2026-12-31: flickers"))
        let junit = JUnitReport.render(summary)
        #expect(junit.contains("<skipped message=\"quarantined until 2026-12-31: flickers"))
        let failures = JUnitReport.render(Fixture.summary())
            .components(separatedBy: "<failure ").count
        #expect(junit.components(separatedBy: "<failure ").count == failures - 1)
    }

    @Test("summary.json keeps it, and says nothing where there is none")
    func json() throws {
        let summary = try Self.summary()
        let bytes = try SummaryJSON.encode(summary)
        #expect(try SummaryJSON.decode(bytes) == summary)
        let none = String(decoding: try SummaryJSON.encode(Fixture.summary()), as: UTF8.self)
        #expect(!none.contains("quarantined"))
    }
}
