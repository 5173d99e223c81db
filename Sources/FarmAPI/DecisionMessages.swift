// The messages about people's decisions on the pictures of a run. A caller names pictures of the
// run; the coordinator itself adds their capture and reference, the person and the time.
import FarmCore

/// `POST /runs/{id}/decisions`: one decision about some pictures of a run that has ended.
package struct DecideRequest: Codable, Sendable, Hashable {
    package var kind: Decision.Kind
    /// The reason, or empty if none is given.
    package var reason: String
    /// The ids of pictures of the run, at most `FarmLimits.decisionsPerMessageMax`.
    package var snapshots: [String]
    /// The reference set that contains the pictures, as proof for `published`; `nil` for any other
    /// kind.
    package var set: String?

    package init(kind: Decision.Kind, reason: String, snapshots: [String], set: String? = nil) {
        self.kind = kind
        self.reason = reason
        self.snapshots = snapshots
        self.set = set
    }
}

/// `GET /runs/{id}/decisions`: the standing decisions and all comments about pictures of the run,
/// in their order; also those of other runs.
///
/// With `?after=N`, all decisions about them after the one with that number.
package struct DecisionsReply: Codable, Sendable {
    package var decisions: [Decision]
    /// The number of the pipeline's last decision, for a request of later ones.
    package var newest: Int64

    package init(decisions: [Decision], newest: Int64) {
        self.decisions = decisions
        self.newest = newest
    }
}
