// What people decide about the pictures of a run at its coordinator. A caller names pictures of the
// run; which capture and reference that is, who decided and when is the coordinator's own knowledge.
import FarmCore

/// `POST /runs/{id}/decisions`: one decision about some pictures of a run that has ended.
package struct DecideRequest: Codable, Sendable, Hashable {
    package var kind: Decision.Kind
    /// Empty where none is given.
    package var reason: String
    /// Ids of pictures of the run, at most `FarmLimits.decisionsPerMessageMax`.
    package var snapshots: [String]
    /// The set that has them as references, the proof of `published`; nil for any other kind.
    package var set: String?

    package init(kind: Decision.Kind, reason: String, snapshots: [String], set: String? = nil) {
        self.kind = kind
        self.reason = reason
        self.snapshots = snapshots
        self.set = set
    }
}

/// `GET /runs/{id}/decisions`: in the order they were made, what stands about pictures of the run, and
/// all comments about them; also what was decided on other runs.
///
/// With `?after=N`, all that was decided
/// about them after the decision of that number.
package struct DecisionsReply: Codable, Sendable {
    package var decisions: [Decision]
    /// The number of the pipeline's last decision, to ask for what comes after it.
    package var newest: Int64

    package init(decisions: [Decision], newest: Int64) {
        self.decisions = decisions
        self.newest = newest
    }
}
