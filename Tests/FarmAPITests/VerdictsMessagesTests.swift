import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmAPI

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

    /// Encodes and decodes the reports in the completion of a lease.
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
        return read.reports
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
            .passed, .passed, .failed("passed"), .changed("other"), .new("none"),
            .skipped(""), .errored(problem),
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
        "a report that does not say how its test ended is refused: silence is no pass",
        arguments: [
            #"{"epoch":1,"reports":[{"test":"a","seconds":1,"startedAt":0}]}"#,
            #"{"epoch":1,"reports":[{"ending":"passed","seconds":1,"startedAt":0}]}"#,
            #"{"epoch":1,"reports":[{}]}"#,
            #"{"epoch":1}"#,
        ]
    )
    func refused(json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(VerdictsRequest.self, from: Data(json.utf8))
        }
    }

    @Test("a completion is stale where the lease or any of its reports is")
    func stale() {
        for answer in [FencedAnswer.accepted, .duplicate, .stale] {
            for answers in [[], [.accepted], [.accepted, .stale]] as [[FencedAnswer]] {
                let reply = CompleteReply(answer: answer, answers: answers)
                #expect(reply.isStale == ([answer] + answers).contains(.stale))
            }
        }
    }
}
