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

    @Test("tests with one cause are one entry, and what follows from a problem is told with it")
    func causes() throws {
        var summary = Fixture.summary()
        let one = try #require(summary.tests.first)
        summary.tests = (1...12).map { number in
            var test = one
            test.test = "CartTests/test\(number)"
            test.verdict = .failed
            test.message = "no money\nLog: \(number)"
            return test
        }
        let gone = try #require(summary.snapshots.first { $0.verdict == .missing })
        summary.snapshots = [gone]
        summary.snapshots[0].test = ""
        summary.problems = [
            Problem(
                code: "references-without-owner",
                message: "nobody makes it.",
                remedy: "Retire it.",
                about: "\(gone.cell)/\(gone.suite)"
            )
        ]
        let text = MarkdownReport.render(summary, limitBytes: 1 << 20)
        #expect(text.contains("## Tests (12)\n"))
        let names = "12 tests&#58; Cart/test1 on iPad Pro (11-inch) (13.1) dark · en, "
        #expect(text.contains("- ✕ **failed** \(names)"))
        #expect(text.ranges(of: "no money").count == 1)
        #expect(text.contains("nobody makes it. 1 picture follows from it. Retire it.\n"))
        #expect(!text.contains(" in 1 picture"))
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
