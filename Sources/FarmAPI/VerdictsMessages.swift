// The reports of a lease, and their answers.
import FarmCore

/// `POST /leases/{id}/verdicts`.
package struct VerdictsRequest: Codable, Sendable {
    package var epoch: Int64
    /// The reports, at most `FarmLimits.reportsPerMessageMax`.
    package var reports: [TestReport]
}

/// The answers to reports.
package struct VerdictsReply: Codable, Sendable {
    /// The answer to each report, in order.
    package var answers: [FencedAnswer]

    package init(answers: [FencedAnswer]) { self.answers = answers }
}

/// `POST /leases/{id}/complete`: completes a lease.
package struct CompleteRequest: Codable, Sendable {
    package var epoch: Int64
    /// The reports without an answer, at most `FarmLimits.reportsPerMessageMax`.
    package var reports: [TestReport]
    package var evidence: LeaseEvidence
}

/// The answers to a lease's last reports and to its completion.
package struct CompleteReply: Codable, Sendable {
    package var answer: FencedAnswer
    /// The answer to each report, in order.
    package var answers: [FencedAnswer]

    package init(answer: FencedAnswer, answers: [FencedAnswer]) {
        self.answer = answer
        self.answers = answers
    }

    /// Whether the lease was no longer the worker's for any part of the request.
    package var isStale: Bool { answer == .stale || answers.contains(.stale) }
}
