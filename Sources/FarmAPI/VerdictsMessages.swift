// The reports of a lease, and their answers.
import FarmCore

/// The body of `POST /leases/{id}/verdicts`: reports of a lease's tests.
package struct VerdictsRequest: Codable, Sendable {
    package var epoch: Int64
    /// The reports, at most `FarmLimits.reportsPerMessageMax`.
    package var reports: [TestReport]
}

/// The answer to `POST /leases/{id}/verdicts`.
package struct VerdictsReply: Codable, Sendable {
    /// The answer to each report, in order.
    package var answers: [FencedAnswer]

    package init(answers: [FencedAnswer]) { self.answers = answers }
}

/// The body of `POST /leases/{id}/complete`: the last reports of a lease, and its end.
package struct CompleteRequest: Codable, Sendable {
    package var epoch: Int64
    /// The reports that no message has delivered yet, at most `FarmLimits.reportsPerMessageMax`.
    package var reports: [TestReport]
    package var evidence: LeaseEvidence
}

/// The answer to `POST /leases/{id}/complete`.
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
