// The rule by which a follower becomes the leader. Too early does no harm: terms fence, not time.

/// The step of a follower, given its pool's row.
package enum Takeover: Hashable, Sendable {
    case wait
    /// Takes over now: the leader's lock is free, so its process is gone.
    case atOnce
    /// Takes over if the deadline has passed by the store's clock.
    case afterDeadline
}

package enum TakeoverRules {
    /// Returns the step that follows from a row.
    ///
    /// `gotLock` is whether this follower holds the pool's lock, `format` the newest format that it
    /// can read.
    package static func step(
        _ row: PoolRow,
        me: String,
        gotLock: Bool,
        format: Int
    ) -> Takeover {
        // This program cannot read the format of the pool's changes.
        guard row.format <= format else { return .wait }
        // This process has taken over already, but the answer was lost.
        if row.holder == me { return .atOnce }
        if row.isLocked, gotLock { return .atOnce }
        return row.isOver ? .afterDeadline : .wait
    }
}
