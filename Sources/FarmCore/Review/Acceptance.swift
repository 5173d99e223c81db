// The acceptance of a reference picture: a person's approval of a run, or a recording without any.

/// Whether a person accepted a picture, and the journal's or the decision's facts about that.
package struct Acceptance: Hashable, Sendable, Codable {
    /// Whether a person accepted this very picture; if not, the facts are about its recording.
    package var isAccepted: Bool
    /// The person or the program, or empty if it is unknown.
    package var who: String
    /// The time as `2026-11-21T08:00:00Z`, or empty if it is unknown.
    package var when: String
    /// The id of the run whose picture was accepted or recorded, or empty if it is unknown.
    package var run: String
    /// The pull request at the project's Git host, such as `#123`, or empty if it is unknown.
    package var pullRequest: String
    /// The person's reason, or empty if there is none.
    package var reason: String

    private enum CodingKeys: String, CodingKey {
        case isAccepted = "accepted"
        case who
        case when
        case run
        case pullRequest
        case reason
    }

    /// Makes the acceptance of a picture from the journal's entry about it.
    ///
    /// Without an entry the picture was never accepted, and no fact is known.
    package init(_ entry: LogEntry?) {
        isAccepted = entry?.isApproval ?? false
        who = entry?.recorder ?? ""
        when = entry?.time ?? ""
        run = entry?.run ?? ""
        pullRequest = entry?.pullRequest ?? ""
        reason = entry?.reason ?? ""
    }

    /// Makes the acceptance of a picture from a person's decision; `nil` for a decision that accepts
    /// nothing.
    package init?(_ decision: Decision) {
        guard [.accepted, .alternate, .published].contains(decision.kind) else { return nil }
        isAccepted = true
        who = decision.who
        when = LogEntry.time(seconds: decision.when / 1_000)
        run = decision.run
        pullRequest = ""
        reason = decision.reason
    }
}
