import FarmCore
import FarmReports
import FarmTesting
import Foundation
import Testing

@Suite("summary.json")
struct SummaryJSONTests {
    @Test("what is written reads back as the same summary", arguments: [false, true])
    func roundTrip(green: Bool) throws {
        var summary = green ? Fixture.green() : Fixture.summary()
        for place in summary.tests.indices where summary.tests[place].verdict != .passed {
            summary.tests[place].isRed = !place.isMultiple(of: 2)
            summary.tests[place].history = Self.history
        }
        let bytes = try SummaryJSON.encode(summary)
        #expect(try SummaryJSON.decode(bytes) == summary)
        #expect(bytes.last == UInt8(ascii: "\n"))
    }

    private static let history = [
        AttemptSummary(verdict: nil, seconds: 0, worker: "w\"1"),
        AttemptSummary(
            verdict: .failed,
            seconds: 1.5,
            worker: "w2",
            message: "a\nb",
            log: "logs/j/A-1.log"
        ),
    ]

    @Test("the schema accepts every summary we write", .enabled(if: ExternalTool.hasJSONSchema))
    func schema() throws {
        let folder = try TemporaryFolder("schema")
        let schema = ExternalTool.repositoryFile("docs/schema/summary.schema.json")
        let program = """
            import json, sys, jsonschema
            schema = json.load(open(sys.argv[1]))
            jsonschema.Draft202012Validator.check_schema(schema)
            jsonschema.Draft202012Validator(schema).validate(json.load(open(sys.argv[2])))
            """
        let quarantined = try QuarantineReportTests.summary()
        var tried = Fixture.summary()
        for place in tried.tests.indices { tried.tests[place].history = Self.history }
        for summary in [tried, Fixture.summary(), Fixture.green(), quarantined] {
            let path = try folder.write("summary.json", SummaryJSON.encode(summary))
            let result = try ExternalTool.run(["python3", "-c", program, schema, path])
            #expect(result.status == 0, "\(result.output)")
        }
        let bad = try folder.write("summary.json", #"{"schemaVersion": 1}"#)
        #expect(try ExternalTool.run(["python3", "-c", program, schema, bad]).status != 0)
    }

    @Test("a newer summary is refused by its version, not by its fields")
    func newer() {
        let newer = Data(#"{"schemaVersion": 2, "state": "purple"}"#.utf8)
        #expect(throws: ReportError.version(found: 2, known: 1)) {
            try SummaryJSON.decode(newer)
        }
    }

    @Test(
        "what is no summary is refused with the place",
        arguments: [
            ("", "it cannot be read"), ("[]", "not of type"), ("{}", "has no schemaVersion"),
            (#"{"schemaVersion": 1}"#, "has no run"),
        ]
    )
    func malformed(text: String, reason: String) {
        let error = #expect(throws: ReportError.self) {
            try SummaryJSON.decode(Data(text.utf8))
        }
        guard case .malformed? = error else {
            Issue.record("not refused as malformed: \(String(describing: error))")
            return
        }
        #expect(
            text.isEmpty || error?.message.contains(reason) == true,
            "\(String(describing: error))"
        )
        #expect(error?.exit == .invalidInput)
    }

    @Test("a number without a JSON spelling is named", arguments: [Double.nan, .infinity])
    func notFinite(value: Double) {
        var summary = Fixture.green()
        summary.tests[0].seconds = value
        let error = #expect(throws: ReportError.self) { try SummaryJSON.encode(summary) }
        #expect(error?.message.contains("seconds") == true)
        #expect(error?.exit == .internal)
    }
}
