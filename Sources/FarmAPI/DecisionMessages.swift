// The messages about people's decisions on the pictures of a run. A caller names pictures of the
// run; the coordinator itself adds their capture and reference, the person and the time.
import FarmCore

/// The body of `POST /runs/{id}/decisions`: one decision about pictures of a run that has ended.
package struct DecideRequest: Codable, Sendable, Hashable {
    package var kind: Decision.Kind
    /// The reason for the decision, or empty if none is given.
    package var reason: String
    /// The ids of the decided pictures of the run, at most `FarmLimits.decisionsPerMessageMax`.
    package var snapshots: [String]
    /// The reference set that contains the pictures, as proof for `published`; `nil` for any other
    /// kind.
    package var set: String?
    /// The program that decides with the caller's token, such as `claude-code 1.2 (agent)`, or `nil`
    /// if a person does; it is kept beside the person's name.
    package var agent: String?

    package init(
        kind: Decision.Kind,
        reason: String,
        snapshots: [String],
        set: String? = nil,
        agent: String? = nil
    ) {
        self.kind = kind
        self.reason = reason
        self.snapshots = snapshots
        self.set = set
        self.agent = agent
    }
}

/// The answer to `GET /runs/{id}/decisions`: the standing decisions and all comments about pictures
/// of the run, in their order; also those made in other runs.
///
/// With `?after=N`, all decisions about them after the one with that number.
package struct DecisionsReply: Codable, Sendable {
    package var decisions: [Decision]
    /// The number of the pipeline's last decision, with which a client asks for later ones.
    package var newest: Int64

    package init(decisions: [Decision], newest: Int64) {
        self.decisions = decisions
        self.newest = newest
    }
}
