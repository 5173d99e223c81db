import FarmCore
import Foundation
import Testing

@Suite("A test's report as JSON")
struct TestReportTests {
    private static let reports = [
        TestReport(test: TestID("a"), ending: .passed, seconds: 0.5, startedAt: 1),
        TestReport(test: TestID("b"), ending: .failed("passed"), seconds: 1, output: "x"),
        TestReport(test: TestID("b"), ending: .passed, seconds: 1, earlierFailure: "once"),
        TestReport(test: TestID("c"), ending: .skipped("later"), seconds: 0),
        TestReport(test: TestID("c"), ending: .changed("a.png differs"), seconds: 0),
        TestReport(test: TestID("c"), ending: .new("no a.png"), seconds: 0),
        TestReport(
            test: TestID("d"),
            ending: .errored(Problem(code: "c", message: "m", remedy: "r")),
            seconds: 2
        ),
    ]

    @Test("comes back as it was sent", arguments: reports)
    func roundTrip(report: TestReport) throws {
        let bytes = try JSONEncoder().encode(report)
        #expect(try JSONDecoder().decode(TestReport.self, from: bytes) == report)
    }

    @Test(
        "without a known ending is refused: silence is not a pass",
        arguments: [
            #"{"test":"a","seconds":1,"startedAt":0}"#,
            #"{"test":"a","seconds":1,"startedAt":0,"ending":"ok"}"#,
            #"{"test":"a","seconds":1,"startedAt":0,"ending":{}}"#,
            #"{"test":"a","seconds":1,"startedAt":0,"ending":{"failed":"","skipped":""}}"#,
            #"{"test":"a","seconds":1,"startedAt":0,"ending":null}"#,
        ]
    )
    func unknownEnding(json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(TestReport.self, from: Data(json.utf8))
        }
    }
}
