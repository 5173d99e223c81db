// Tests that the remedy comes last in every output and is never cut.
import FarmCore
import FarmReports
import Foundation
import Testing

@testable import FarmRun

@Suite("Remedies")
struct RemedyTests {
    /// A remedy that is longer than the limits of other sentences.
    private static let remedy =
        (1...60).map { "Mend part \($0) of it" }.joined(separator: " and then ") + " at last."

    /// Returns a run with a long problem, and a test that ended with one.
    private static func summary() throws -> RunSummary {
        var summary = Fixture.summary()
        let fact = String(repeating: "It is broken. ", count: 60)
        summary.problems = [Problem(code: "broken", message: fact, remedy: remedy)]
        let place = try #require(summary.tests.firstIndex { $0.verdict == .errored })
        summary.tests[place].message = "the test is broken. \(remedy)\nLog: logs/1.log"
        summary.tests[place].output = String(repeating: "noise\n", count: 2_000)
        return summary
    }

    @Test("stand whole in every file, on a pull request and in annotations")
    func whole() throws {
        let summary = try Self.summary()
        #expect(Self.remedy.count > 300)
        let outputs = [
            "summary.json": String(decoding: try SummaryJSON.encode(summary), as: UTF8.self),
            "report.md": MarkdownReport.render(summary, limitBytes: 1 << 20),
            "job summary": MarkdownReport.render(
                summary,
                limitBytes: 1 << 20,
                pictures: .omitted
            ),
            "page": HTMLReport.render(summary), "zip": HTMLReport.render(summary, in: .zip),
            "junit.xml": JUnitReport.render(summary),
            "comment": CommentSection.render(
                summary,
                links: CommentSection.Links(page: nil),
                bytesMax: 60_000
            ), "terminal": TerminalSummary.render(summary, style: .plain, width: nil),
            "annotations": Self.annotations(summary).joined(separator: "\n"),
        ]
        for (name, text) in outputs {
            // The remedies of the problem and of the test.
            #expect(text.ranges(of: Self.remedy).count >= 2, "\(name)")
        }
    }

    @Test("an annotation's message is cut, and all of it stays within what GitHub takes")
    func annotation() throws {
        var summary = try Self.summary()
        let lines = Self.annotations(summary)
        let problem = try #require(lines.first { $0.hasPrefix("::error title=broken::") })
        #expect(problem.hasSuffix("… \(Self.remedy)") && problem.count < 3_000)
        summary.problems[0].remedy = String(repeating: "é", count: 100_000)
        for line in Self.annotations(summary) { #expect(line.utf8.count < 66_000) }
    }

    private static func annotations(_ summary: RunSummary) -> [String] {
        let outputs = CIOutputs(folder: "/out", report: "")
        let ci = CIEnvironment.detect(["GITHUB_ACTIONS": "true"])
        return (ci?.deliveries(of: summary, outputs) ?? []).compactMap { step in
            if case .printLine(let line) = step { line } else { nil }
        }
    }
}
