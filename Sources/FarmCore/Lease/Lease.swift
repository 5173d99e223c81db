// A lease is the time-limited right of one worker to one shard. Workers die without a word, so
// the right ends by itself; the coordinator never asks.
//
// Invariants
//   - A (test case × cell) has at most one live lease.
//   - `epoch` grows with every lease of the ledger. A write that carries an older epoch than the
//     one its test case is leased under is refused: its worker lost the lease.

/// Which lease a worker writes under.
package struct LeaseToken: Hashable, Sendable, Codable {
    package var id: LeaseID
    package var epoch: Int64
    /// Proof that the coordinator gave this lease to the caller; nil inside the coordinator.
    package var seal: Digest?

    /// The epoch of no lease; real ones begin at 1.
    package static let noEpoch: Int64 = 0

    package init(id: LeaseID, epoch: Int64, seal: Digest? = nil) {
        self.id = id
        self.epoch = epoch
        self.seal = seal
    }
}

/// A lease as the worker receives it.
package struct Lease: Hashable, Sendable, Codable {
    package var token: LeaseToken
    package var shard: Shard

    package init(token: LeaseToken, shard: Shard) {
        self.token = token
        self.shard = shard
    }
}

/// The answer to a fenced write.
package enum FencedAnswer: String, Hashable, Sendable, Codable {
    /// Kept.
    case accepted
    /// Mine, again: the first answer was lost. As good as accepted.
    case duplicate
    /// The lease was lost; drop the result, delete nothing.
    case stale
}
