import FarmAPI
import FarmCore
import FarmTesting
import Foundation
import Testing

@Suite("Reports and answers as messages")
struct VerdictsMessagesTests {
    private func sent(_ reports: [TestReport]) throws -> [TestReport] {
        let message = VerdictsRequest(epoch: 7, reports: reports)
        let bytes = try JSONEncoder().encode(message)
        let read = try JSONDecoder().decode(VerdictsRequest.self, from: bytes)
        #expect(read.epoch == 7)
        #expect(try sentLast(read.reports) == reports)
        return read.reports
    }

    /// The same with a lease's completion.
    private func sentLast(_ reports: [TestReport]) throws -> [TestReport] {
        let evidence = LeaseEvidence(
            job: JobName("j"),
            cell: CellID("c"),
            leftOver: reports.map(\.test)
        )
        let message = CompleteRequest(epoch: 8, reports: reports, evidence: evidence)
        let bytes = try JSONEncoder().encode(message)
        let read = try JSONDecoder().decode(CompleteRequest.self, from: bytes)
        #expect(read.epoch == 8)
        #expect(read.evidence == evidence)
        #expect((read.reports == nil) == reports.isEmpty)
        return read.reports?.reports ?? []
    }

    @Test("any mixture of reports comes back as it was sent, in order")
    func roundTrip() throws {
        var generator = SeededGenerator.announced()
        let problem = Problem(code: "c", message: "m", remedy: "r")
        let digest = Digest(of: Data("picture".utf8))
        let id = try SnapshotID(cell: CellID("c"), suite: "s", name: "n")
        let pictures = PictureReports(differences: [
            DifferenceReport(id: id, reference: nil, failed: digest, diff: nil, comparison: nil)
        ])
        let endings: [TestEnding] = [
            .passed, .passed, .failed("passed"), .changed("other"), .skipped(""),
            .errored(problem),
        ]
        for count in [0, 1, 2, 40] {
            let reports = try (0..<count).map { number in
                TestReport(
                    test: TestID("t\(number)/ä \"\u{1}"),
                    ending: try #require(endings.randomElement(using: &generator)),
                    seconds: Double.random(in: 0..<1e6, using: &generator),
                    output: Bool.random(using: &generator) ? "" : "said",
                    startedAt: Int64.random(in: 0..<1 << 60, using: &generator),
                    pictures: Bool.random(using: &generator) ? PictureReports() : pictures,
                    load: Bool.random(using: &generator)
                        ? nil : HostLoad(waiting: 0.125, source: .pressure)
                )
            }
            #expect(try sent(reports) == reports)
        }
    }

    @Test(
        "columns that do not fit, or a detail that is not there, are refused: silence is no pass",
        arguments: [
            #"{"epoch":1,"tests":["a"],"seconds":[1],"startedAt":[0],"passes":1}"#,
            #"{"epoch":1,"tests":["a"],"seconds":[1],"startedAt":[0],"details":[]}"#,
            #"{"epoch":1,"tests":["a"],"seconds":[1],"startedAt":[0],"passes":0,"details":[]}"#,
            #"{"epoch":1,"tests":["a"],"seconds":[],"startedAt":[0],"passes":1,"details":[]}"#,
            #"{"epoch":1,"tests":["a"],"seconds":[1],"startedAt":[],"passes":1,"details":[]}"#,
            #"""
            {"epoch":1,"tests":["a"],"seconds":[1],"startedAt":[0],"passes":0,
             "details":[{"at":1,"ending":"passed"}]}
            """#,
            #"""
            {"epoch":1,"tests":["a","b"],"seconds":[1,1],"startedAt":[0,0],"passes":0,
             "details":[{"at":1,"ending":"passed"},{"at":1,"ending":{"failed":""}}]}
            """#,
            #"""
            {"epoch":1,"tests":["a"],"seconds":[1],"startedAt":[0],"passes":0,
             "details":[{"at":0}]}
            """#,
        ]
    )
    func refused(json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(VerdictsRequest.self, from: Data(json.utf8))
        }
    }

    private func read(seconds: String, startedAt: String) throws -> [TestReport] {
        let json = """
            {"epoch":1,"tests":["a","b"],"seconds":\(seconds),"startedAt":\(startedAt),"passes":2,
             "details":[]}
            """
        return try JSONDecoder().decode(VerdictsRequest.self, from: Data(json.utf8)).reports
    }

    @Test(
        "a column of numbers is one text, or a list",
        arguments: ["[0.5,-2e-3]", #""0.5 -2e-3""#, #"" 0.5  -0.002 ""#]
    )
    func numbers(seconds: String) throws {
        for startedAt in ["[1,-2]", #""1 -2""#] {
            let reports = try read(seconds: seconds, startedAt: startedAt)
            #expect(reports.map(\.seconds) == [0.5, -0.002])
            #expect(reports.map(\.startedAt) == [1, -2])
        }
    }

    @Test(
        "what is no number of its kind is refused",
        arguments: [
            (#""1 inf""#, #""1 2""#), (#""1 nan""#, #""1 2""#), (#""1 1e999""#, #""1 2""#),
            (#""1 0x1p3""#, #""1 2""#), (#""1 +1""#, #""1 2""#), (#""1 e""#, #""1 2""#),
            (#""1,2""#, #""1 2""#), (#""1 2""#, #""1 1.5""#), (#""1 2""#, #""1 1e3""#),
            (#""1 2""#, #""1 9223372036854775808""#), (#""1 2 3""#, #""1 2""#),
            (#""1 2""#, #""1""#), (#""1 2""#, "12"), ("true", #""1 2""#),
        ]
    )
    func noNumber(seconds: String, startedAt: String) {
        #expect(throws: DecodingError.self) {
            try read(seconds: seconds, startedAt: startedAt)
        }
    }

    @Test(
        "answers come back as they were sent",
        arguments: [[], [.accepted], [.accepted, .accepted], [.accepted, .stale, .duplicate]]
            as [[FencedAnswer]]
    )
    func answers(_ answers: [FencedAnswer]) throws {
        let bytes = try JSONEncoder().encode(VerdictsReply(answers: answers))
        #expect(try JSONDecoder().decode(VerdictsReply.self, from: bytes).answers == answers)
        for answer in [FencedAnswer.accepted, .duplicate, .stale] {
            let reply = CompleteReply(answer: answer, answers: answers)
            let bytes = try JSONEncoder().encode(reply)
            let read = try JSONDecoder().decode(CompleteReply.self, from: bytes)
            #expect(read.answer == answer)
            #expect(read.reports?.answers ?? [] == answers)
            #expect(read.isStale == ([answer] + answers).contains(.stale))
        }
    }

    @Test("more reports than one message may have are refused")
    func tooMany() throws {
        let reports = (0...FarmLimits.reportsPerMessageMax).map {
            TestReport(test: TestID("t\($0)"), ending: .passed, seconds: 1)
        }
        #expect(try sent(reports.dropLast()) == reports.dropLast())
        #expect(throws: DecodingError.self) { try sent(reports) }
        #expect(throws: DecodingError.self) { try sentLast(reports) }
    }

    @Test("a number of answers that no message can have is refused", arguments: [-1, 1 << 40])
    func absurdCount(count: Int) {
        let json = Data(#"{"accepted":\#(count)}"#.utf8)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(VerdictsReply.self, from: json)
        }
    }
}
