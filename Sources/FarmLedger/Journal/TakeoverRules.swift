// When a follower becomes the leader. Being early harms nothing: terms fence, time does not.

/// What a follower does about the leader that its pool's row names.
package enum Takeover: Hashable, Sendable {
    case wait
    /// The leader's process is gone: its lock is free.
    case atOnce
    /// The store decides by its own clock.
    case afterDeadline
}

package enum TakeoverRules {
    /// What to do about a row.
    ///
    /// `gotLock`: this follower has the pool's lock. `format` is what it can read.
    package static func step(
        _ row: PoolRow,
        me: String,
        gotLock: Bool,
        format: Int
    ) -> Takeover {
        // Its changes are of a kind that this program does not know.
        guard row.format <= format else { return .wait }
        // This process took over, and did not hear so.
        if row.holder == me { return .atOnce }
        if row.isLocked, gotLock { return .atOnce }
        return row.isOver ? .afterDeadline : .wait
    }
}
