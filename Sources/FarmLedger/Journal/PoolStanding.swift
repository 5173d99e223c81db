// The state of a coordinator in its pool, and the events that people see.

/// An event of a pool, for people.
package enum LeadershipEvent: Sendable, Hashable {
    case leads(term: Int64)
    case steppedDown(reason: String)
    case follows(url: String)
    /// The copy differed from the journal and was replaced by a snapshot.
    case restored(seq: Int64, reason: String)
    case unreachable(reason: String)
    case reachable
    /// No snapshot could be made; the journal grows until one can.
    case noSnapshot(reason: String)
    /// A newer program leads the pool.
    case tooOld(format: Int)
    case formatRaised(Int)
}

/// The state of a coordinator in its pool, as its looks at the pool have shown it.
package struct PoolStanding: Sendable, Hashable {
    /// The pool's row as this coordinator last saw it.
    package var row: PoolRow?
    /// The number of the last entry that this coordinator's copy has.
    package var seq: Int64 = 0
    /// Why the database or the copy cannot be used now, or `nil` if both can.
    package var problem: String?
    /// The code of the problem, or `nil` if there is none.
    var problemCode: String?
    /// Whether this program can read the format of its copy.
    package var canRead = false
}
