// Tests of each document of the rich fixture, byte for byte. Every difference is visible to users.
import FarmCore
import FarmReports
import FarmTesting
import Foundation
import Testing

@Suite("Golden documents")
struct GoldenTests {
    @Test("summary.json is stable")
    func summary() throws {
        let bytes = try SummaryJSON.encode(Fixture.summary())
        try expectGolden(String(decoding: bytes, as: UTF8.self), "summary.json")
    }

    @Test("junit.xml is stable")
    func junit() throws {
        try expectGolden(
            JUnitReport.render(Fixture.summary(), outputFolder: "snapfarm-out"),
            "junit.xml"
        )
    }

    @Test("report.md is stable, with pictures and without")
    func report() throws {
        let summary = Fixture.summary()
        try expectGolden(MarkdownReport.render(summary, limitBytes: 1 << 20), "report.md")
        try expectGolden(
            MarkdownReport.render(summary, limitBytes: 1 << 20, pictures: .omitted),
            "report-without-pictures.md"
        )
    }

    @Test("catalogue.md is stable")
    func catalogue() throws {
        try expectGolden(CatalogueReport.render(Fixture.summary()), "catalogue.md")
    }

    /// Compared without style and script, which are files of their own.
    @Test("the markup of report/index.html is stable, and of the zip's page")
    func page() throws {
        func markup(_ place: HTMLReport.Place) -> String {
            HTMLReport.render(Fixture.summary(), in: place)
                .replacing(/<style>(?s:.*?)<\/style>/, with: "<style></style>")
                .replacing(/<script>(?s:.*?)<\/script>/, with: "<script></script>")
        }
        try expectGolden(markup(.outputFolder), "index.html")
        try expectGolden(markup(.zip), "zip-index.html")
    }

    @Test("timeline.json is stable")
    func timeline() throws {
        try expectGolden(Timeline.render(Fixture.summary()), "timeline.json")
    }

    @Test("the last lines on a terminal are stable, in colour and plain")
    func terminal() throws {
        let places = TerminalSummary.Places(
            report: "out/report/index.html",
            zip: "out/FailureDiffs.zip",
            review: "snapfarm review app.yaml --run r-1",
            approve: "snapfarm approve app.yaml --run r-1 --reason \"…\""
        )
        try expectGolden(
            TerminalSummary.render(Fixture.summary(), style: .plain, width: 100, places: places),
            "terminal.txt"
        )
        try expectGolden(
            TerminalSummary.render(Fixture.summary(), style: .ansi, width: 100, places: places),
            "terminal-ansi.txt"
        )
        try expectGolden(
            TerminalSummary.render(Fixture.green(), style: .plain, width: 80),
            "terminal-green.txt"
        )
    }
}
