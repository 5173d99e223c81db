import FarmCore
import FarmReports
import Foundation
import Testing

@Suite("Terminal and timeline")
struct TerminalTests {
    @Test("no line is wider than the terminal, except paths", arguments: [40, 60, 100])
    func width(columns: Int) {
        let text = TerminalSummary.render(Fixture.summary(), style: .plain, width: columns)
        for line in text.split(separator: "\n").dropFirst() {
            // Wide characters take two columns, so the count of characters is a lower bound.
            #expect(line.count <= columns, "\(line)")
        }
    }

    @Test("no control character of a test reaches the terminal")
    func control() {
        var summary = Fixture.summary()
        summary.tests[0].verdict = .failed
        summary.tests[0].message = "\u{1B}]0;owned\u{7}\u{1B}[2J\u{9B}31m"
        let text = TerminalSummary.render(summary, style: .plain, width: 100)
        let control = text.unicodeScalars.filter {
            ($0.value < 32 && $0 != "\n") || (0x7F...0x9F).contains($0.value)
        }
        #expect(control.isEmpty)
    }

    @Test("the worst come first, and the rest is counted")
    func order() throws {
        var summary = Fixture.summary()
        for number in 0..<ReportLimits.terminalChangesMax {
            summary.tests.append(
                TestSummary(
                    job: "unit",
                    cell: "host",
                    test: "t\(number)",
                    verdict: .failed,
                    attempts: 1,
                    seconds: 1,
                    message: "no \(number)"
                )
            )
        }
        let text = TerminalSummary.render(summary, style: .plain, width: 100)
        let lost = try #require(text.range(of: "no verdict Money/testLost on iPhone 8 (13.1)"))
        let failed = try #require(text.range(of: "✕ failed"))
        #expect(lost.lowerBound < failed.lowerBound)
        let rest = try #require(text.firstMatch(of: #/\n  and .*, (\d+) more tests\n/#))
        #expect(try #require(Int(rest.1)) > 1)
    }

    @Test("what a list of changes leaves out is counted in changes, and in their pictures")
    func rest() throws {
        var summary = Fixture.summary()
        let first = try #require(summary.snapshots.first { $0.verdict == .changed })
        summary.tests = []
        summary.snapshots = (1...ReportLimits.terminalChangesMax + 2).flatMap { number in
            ["one", "two", "three"].map { cell in
                var picture = first
                picture.id = "\(cell)/S\(number)/p"
                (picture.cell, picture.suite, picture.name) = (cell, "S\(number)", "p")
                picture.words = "differs by \(number)"
                return picture
            }
        }
        summary.changes = Dictionary(grouping: summary.snapshots, by: \.suite).values.map {
            ChangeSummary(id: $0[0].suite, words: $0[0].words, cells: "3", snapshots: $0.map(\.id))
        }
        let text = TerminalSummary.render(summary, style: .plain, width: nil)
        #expect(text.contains("\n  and 2 more changes in 6 pictures\n"), "\(text)")
    }

    @Test("why a test died comes before the pictures that it did not get to")
    func cause() throws {
        var summary = Fixture.summary()
        let place = try #require(summary.tests.firstIndex { $0.verdict == .unreached })
        summary.tests[place].verdict = .errored
        summary.tests[place].message = "Fatal error: no money"
        let text = TerminalSummary.render(summary, style: .plain, width: nil)
        let cause = try #require(text.range(of: "Fatal error: no money"))
        let picture = try #require(text.range(of: "unreached in one line"))
        #expect(cause.lowerBound < picture.lowerBound)
    }

    @Test("of more cells than fit only those that need a look are shown; where none does, no table")
    func manyCells() {
        var summary = Fixture.summary()
        summary.cells = (0...ReportLimits.terminalCellsMax).map { number in
            var cell = summary.cells[0]
            cell.id = "cell-\(number)"
            cell.counts = VerdictCounts()
            cell.counts.planned = 1
            cell.counts.passed = 1
            return cell
        }
        let green = TerminalSummary.render(summary, style: .plain, width: 120)
        #expect(!green.contains("more cells") && !green.contains("cell-"))
        summary.cells[1].counts.passed = 0
        summary.cells[1].counts.changed = 1
        let red = TerminalSummary.render(summary, style: .plain, width: 120)
        #expect(
            red.contains("cell-1 ") && red.contains("and \(summary.cells.count - 1) more cells")
        )
    }

    @Test("workers are rows in their numeric order, and a test without one has none")
    func timeline() throws {
        let text = Timeline.render(Fixture.summary())
        let two = try #require(text.range(of: "\"worker-2\""))
        let ten = try #require(text.range(of: "\"worker-10\""))
        #expect(two.lowerBound < ten.lowerBound)
        #expect(!text.contains("testLost"))
    }

    @Test("a clock's fault cannot break the timeline", arguments: [Double.nan, -1, 1e300])
    func clock(value: Double) {
        var summary = Fixture.summary()
        summary.tests[0].startedAt = value
        summary.tests[0].seconds = value
        #expect(Timeline.render(summary).contains("\"traceEvents\""))
    }
}
