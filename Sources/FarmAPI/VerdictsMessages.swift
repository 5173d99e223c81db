// The reports of a lease, and their answers.
import FarmCore

/// `POST /leases/{id}/verdicts`.
package struct VerdictsRequest: Codable, Sendable {
    package var epoch: Int64
    /// At most `FarmLimits.reportsPerMessageMax`.
    package var reports: [TestReport]
}

/// What became of reports.
package struct VerdictsReply: Codable, Sendable {
    /// One for each report, in order.
    package var answers: [FencedAnswer]

    package init(answers: [FencedAnswer]) { self.answers = answers }
}

/// `POST /leases/{id}/complete`: the last word of a lease.
package struct CompleteRequest: Codable, Sendable {
    package var epoch: Int64
    /// Those without an answer, at most `FarmLimits.reportsPerMessageMax`.
    package var reports: [TestReport]
    package var evidence: LeaseEvidence
}

/// What became of a lease's last reports, and of the lease.
package struct CompleteReply: Codable, Sendable {
    package var answer: FencedAnswer
    /// One for each report, in order.
    package var answers: [FencedAnswer]

    package init(answer: FencedAnswer, answers: [FencedAnswer]) {
        self.answer = answer
        self.answers = answers
    }

    /// Whether any of it came under a lease that is the worker's no more.
    package var isStale: Bool { answer == .stale || answers.contains(.stale) }
}
