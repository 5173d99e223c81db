// Tests that every document shows a missing reference's cause first and the remedy last.
import FarmCore
import FarmReports
import Foundation
import Testing

@Suite("What is said where a framework has no reference")
struct WithoutReferenceReportTests {
    private static let remedy = "Record it with `snapfarm run FILE --mode record`."

    private func summary() -> RunSummary {
        var summary = Fixture.summary()
        summary.state = .failed
        (summary.snapshots, summary.problems) = ([], [])
        summary.tests = [
            TestSummary(
                job: "snapshot_test",
                cell: Fixture.light,
                test: "App.CartTests/testLonely",
                verdict: .new,
                attempts: 1,
                seconds: 1,
                message: "no reference yet.\nwords of the framework\n\(Self.remedy)"
            )
        ]
        summary.tests[0].isRed = true
        return summary
    }

    @Test("the terminal says what to do below the cause")
    func terminal() throws {
        let text = TerminalSummary.render(summary(), style: .plain, width: nil)
        let lines = text.split(separator: "\n").map(String.init)
        let place = try #require(lines.firstIndex { $0.contains("testLonely") })
        #expect(lines[place].hasPrefix("+ new "))
        let below = lines.dropFirst(place + 1).prefix(2)
        #expect(Array(below) == ["  no reference yet.", "  \(Self.remedy)"])
    }

    @Test("JUnit has a failure of its own kind, which begins with the cause")
    func junit() throws {
        let text = JUnitReport.render(summary())
        let start = try #require(text.range(of: "name=\"testLonely"))
        let rest = text[start.upperBound...]
        let end = try #require(rest.range(of: "</failure>"))
        let failure = rest[..<end.lowerBound]
        #expect(failure.contains("type=\"SnapshotNew\""))
        #expect(failure.contains("message=\"no reference yet.\""))
        #expect(failure.contains("words of the framework"))
        #expect(failure.contains(Self.remedy))
    }
}
