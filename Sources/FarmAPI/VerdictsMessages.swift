// The reports of a lease and their answers: the only messages that come by the thousand. They are
// written in columns, because a list of equal numbers or texts is coded many times quicker than a
// list of objects; what only some reports say stands beside them, by position.
//
// Invariant: silence is not a pass. A message says how many of its reports are plain passes, and
// is refused when the others are not all there.
import FarmCore

/// `POST /leases/{id}/verdicts`.
package struct VerdictsRequest: Sendable {
    package var epoch: Int64
    package var reports: [TestReport]

    package init(epoch: Int64, reports: [TestReport]) {
        self.epoch = epoch
        self.reports = reports
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
        case epoch, tests, seconds, startedAt, passes, details
    }

    package func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode(epoch, forKey: .epoch)
        try object.encode(NameLines(reports.map(\.test.text)), forKey: .tests)
        try object.encode(reports.map(\.seconds), forKey: .seconds)
        try object.encode(reports.map(\.startedAt), forKey: .startedAt)
        let details = reports.enumerated().compactMap { ReportDetail($1, at: $0) }
        try object.encode(reports.count - details.count, forKey: .passes)
        try object.encode(details, forKey: .details)
    }

    package init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: CodingKeys.self)
        let tests = try object.decode(NameLines.self, forKey: .tests).names
        let seconds = try object.decode([Double].self, forKey: .seconds)
        let startedAt = try object.decode([Int64].self, forKey: .startedAt)
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
        self.init(epoch: try object.decode(Int64.self, forKey: .epoch), reports: reports)
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
