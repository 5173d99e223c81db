// How a coordinator of a pool stands, and what people are told when that changes.

/// What people are told of a pool.
package enum PoolEvent: Sendable, Hashable {
    case leads(term: Int64)
    case steppedDown(reason: String)
    case follows(url: String)
    /// Its copy was not what the journal says.
    case restored(seq: Int64, reason: String)
    case unreachable(reason: String)
    case reachable
    /// None could be kept; the journal grows until one can.
    case noSnapshot(reason: String)
    /// The pool is led by a newer program.
    case tooOld(format: Int)
    case formatRaised(Int)
}

/// How a coordinator of a pool stands.
package struct PoolStanding: Sendable, Hashable {
    /// As it was seen last.
    package var row: PoolRow?
    /// Of this coordinator's copy.
    package var seq: Int64 = 0
    /// Why the database, or the copy, cannot be used now.
    package var problem: String?
    /// Its kind; nil where there is none.
    var problemCode: String?
    /// Its copy is of the kind that this program reads.
    package var canRead = false
}
