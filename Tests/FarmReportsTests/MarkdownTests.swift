import FarmCore
import FarmReports
import Foundation
import Testing

@Suite("Markdown")
struct MarkdownTests {
    @Test(
        "a report fits its limit and says what it left out",
        arguments: [200, 2_000, 5_000, 65_536]
    )
    func limit(bytes: Int) {
        let summary = large()
        let text = MarkdownReport.render(summary, limitBytes: bytes)
        #expect(text.utf8.count <= bytes)
        if bytes > 2_000 {
            #expect(text.contains("more screens did not fit here"))
            #expect(text.contains("## Matrix"))
        }
    }

    @Test("no name becomes markup, a mention or a table's edge")
    func hostile() {
        for text in [
            MarkdownReport.render(Fixture.summary(), limitBytes: 1 << 20),
            CatalogueReport.render(Fixture.summary()),
        ] {
            let prose = text.components(separatedBy: "```").enumerated()
                .filter { $0.offset.isMultiple(of: 2) }.map(\.element).joined()
            #expect(!prose.contains("<script>"))
            #expect(!prose.contains("onerror=alert(1) x=\""))
            #expect(!prose.contains("@team"))
            #expect(!prose.contains("]]> \""))
        }
    }

    @Test("a test's output cannot leave its fence")
    func fence() {
        let text = MarkdownReport.render(Fixture.summary(), limitBytes: 1 << 20)
        #expect(text.contains("````text\nXCTAssertEqual failed"))
    }

    @Test("pictures are left out where paths lead nowhere")
    func pictures() {
        let with = MarkdownReport.render(Fixture.summary(), limitBytes: 1 << 20)
        let without = MarkdownReport.render(
            Fixture.summary(),
            limitBytes: 1 << 20,
            pictures: .omitted
        )
        #expect(with.contains("<img src=\"FailureDiffs/"))
        #expect(!without.contains("<img"))
    }

    @Test("the catalogue shows one screen's cells side by side, whatever their names")
    func catalogue() {
        let text = CatalogueReport.render(Fixture.summary())
        #expect(text.contains("|iPhone 8|iPad Pro (11-inch)|\n"))
        #expect(text.contains("|light · ja|dark · en|\n"))
    }

    private func large() -> RunSummary {
        var summary = Fixture.summary()
        let one = summary.snapshots.filter { $0.verdict == .changed }
        for number in 0..<400 {
            for picture in one {
                var copy = picture
                copy.name += String(number)
                copy.identifier = copy.name
                copy.id += String(number)
                summary.snapshots.append(copy)
            }
        }
        return summary
    }
}
