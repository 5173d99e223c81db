// The reports of a lease and their answers: the only messages that come by the thousand. They are
// written in columns, because a column is one text, which is coded many times quicker than a list of
// objects; what only some reports say stands beside them, by position.
//
// Invariant: silence is not a pass. A message says how many of its reports are plain passes, and
// is refused when the others are not all there.
import FarmCore
import Foundation

/// `POST /leases/{id}/verdicts`.
package struct VerdictsRequest: Sendable {
    package var epoch: Int64
    package var reports: [TestReport]

    package init(epoch: Int64, reports: [TestReport]) {
        self.epoch = epoch
        self.reports = reports
    }
}

/// `POST /leases/{id}/complete`: the last word of a lease.
package struct CompleteRequest: Codable, Sendable {
    package var epoch: Int64
    /// Those without an answer; nil where there are none.
    package var reports: ReportColumns?
    package var evidence: LeaseEvidence

    package init(epoch: Int64, reports: [TestReport], evidence: LeaseEvidence) {
        self.epoch = epoch
        self.reports = reports.isEmpty ? nil : ReportColumns(reports)
        self.evidence = evidence
    }
}

/// What became of a lease's last reports, and of the lease.
package struct CompleteReply: Codable, Sendable {
    package var answer: FencedAnswer
    /// Nil where no report came.
    package var reports: VerdictsReply?

    /// `answers` has one answer for each report, in order.
    package init(answer: FencedAnswer, answers: [FencedAnswer]) {
        self.answer = answer
        reports = answers.isEmpty ? nil : VerdictsReply(answers: answers)
    }

    /// The same JSON as that of any encoder; nearly every answer is of the one short kind.
    package func json() throws -> Data {
        let answers = reports?.answers ?? []
        guard answer == .accepted, !answers.isEmpty, answers.allSatisfy({ $0 == .accepted }) else {
            return try JSONEncoder().encode(self)
        }
        let text = "{\"answer\":\"accepted\",\"reports\":{\"accepted\":\(answers.count)}}"
        return Data(text.utf8)
    }

    /// Whether any of it came under a lease that is the worker's no more.
    package var isStale: Bool {
        answer == .stale || reports?.answers.contains(.stale) == true
    }
}

package struct VerdictsReply: Sendable, Equatable {
    /// One for each report, in order.
    package var answers: [FencedAnswer]

    package init(answers: [FencedAnswer]) { self.answers = answers }
}

/// What a report says beyond a plain pass.
private struct ReportDetail: Codable {
    /// Position in the columns.
    var at: Int
    var ending: TestEnding
    var output: String?
    var pictures: PictureReports?
    var load: HostLoad?

    /// Nil for a plain pass.
    init?(_ report: TestReport, at place: Int) {
        if report.isPlainPass { return nil }
        at = place
        ending = report.ending
        output = report.output.isEmpty ? nil : report.output
        pictures = report.pictures.isEmpty ? nil : report.pictures
        load = report.load
    }
}

extension VerdictsRequest: Codable {
    private enum CodingKeys: String, CodingKey {
        case epoch
    }

    /// The columns stand beside the epoch.
    package func encode(to encoder: any Encoder) throws {
        try ReportColumns(reports).encode(to: encoder)
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode(epoch, forKey: .epoch)
    }

    package init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            epoch: try object.decode(Int64.self, forKey: .epoch),
            reports: try ReportColumns(from: decoder).reports
        )
    }
}

/// The reports of one message, at most `FarmLimits.reportsPerMessageMax`.
package struct ReportColumns: Sendable {
    package var reports: [TestReport]

    package init(_ reports: [TestReport]) { self.reports = reports }
}

extension ReportColumns: Codable {
    private enum CodingKeys: String, CodingKey {
        case tests, seconds, startedAt, passes, details
    }

    package func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode(NameLines(reports.map(\.test.text)), forKey: .tests)
        try object.encode(NumberLine(reports.map(\.seconds)), forKey: .seconds)
        try object.encode(NumberLine(reports.map(\.startedAt)), forKey: .startedAt)
        let details = reports.enumerated().compactMap { ReportDetail($1, at: $0) }
        try object.encode(reports.count - details.count, forKey: .passes)
        try object.encode(details, forKey: .details)
    }

    package init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: CodingKeys.self)
        let tests = try object.decode(NameLines.self, forKey: .tests).names
        guard tests.count <= FarmLimits.reportsPerMessageMax else {
            throw DecodingError.dataCorruptedError(
                forKey: .tests,
                in: object,
                debugDescription: "\(tests.count) reports are too many for one message"
            )
        }
        let seconds = try object.decode(NumberLine<Double>.self, forKey: .seconds).numbers
        let startedAt = try object.decode(NumberLine<Int64>.self, forKey: .startedAt).numbers
        let details = try object.decode([ReportDetail].self, forKey: .details)
        let passes = try object.decode(Int.self, forKey: .passes)
        let places = Set(details.map(\.at))
        guard tests.count == seconds.count, tests.count == startedAt.count,
            places.count == details.count, places.isSubset(of: tests.indices),
            passes == tests.count - details.count
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .details,
                in: object,
                debugDescription: "the columns and the details do not fit together"
            )
        }
        var reports = tests.indices.map {
            TestReport(
                test: TestID(tests[$0]),
                ending: .passed,
                seconds: seconds[$0],
                startedAt: startedAt[$0]
            )
        }
        for detail in details {
            reports[detail.at].ending = detail.ending
            reports[detail.at].output = detail.output ?? ""
            reports[detail.at].pictures = detail.pictures ?? PictureReports()
            reports[detail.at].load = detail.load
        }
        self.init(reports)
    }
}

extension VerdictsReply: Codable {
    private enum CodingKeys: String, CodingKey {
        case accepted, answers
    }

    /// A number where all were accepted.
    package func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        if answers.allSatisfy({ $0 == .accepted }) {
            try object.encode(answers.count, forKey: .accepted)
        } else {
            try object.encode(answers, forKey: .answers)
        }
    }

    package init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: CodingKeys.self)
        if let count = try object.decodeIfPresent(Int.self, forKey: .accepted) {
            guard (0...FarmLimits.reportsPerMessageMax).contains(count) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .accepted,
                    in: object,
                    debugDescription: "\(count) is not a number of reports"
                )
            }
            self.init(answers: Array(repeating: .accepted, count: count))
        } else {
            self.init(answers: try object.decode([FencedAnswer].self, forKey: .answers))
        }
    }
}
