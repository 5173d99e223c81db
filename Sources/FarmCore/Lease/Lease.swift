// The lease: the time-limited right of one worker to run one shard. Workers can die without notice,
// so the right expires by itself; the coordinator never calls a worker.
//
// Invariants
//   - A test case has at most one live lease.
//   - `epoch` grows with every lease of the ledger. A write with an older epoch than that of its
//     test case's lease is refused: its worker lost the lease.

/// The identity of a lease, which a worker sends with each write.
package struct LeaseToken: Hashable, Sendable, Codable {
    package var id: LeaseID
    package var epoch: Int64
    /// The coordinator's proof that it gave this lease to the caller; `nil` inside the coordinator.
    package var seal: Digest?

    /// The epoch of a test case without a lease; real epochs begin at 1.
    package static let noEpoch: Int64 = 0

    package init(id: LeaseID, epoch: Int64, seal: Digest? = nil) {
        self.id = id
        self.epoch = epoch
        self.seal = seal
    }
}

/// A lease as the coordinator sends it to the worker.
package struct Lease: Hashable, Sendable, Codable {
    package var token: LeaseToken
    package var shard: Shard

    package init(token: LeaseToken, shard: Shard) {
        self.token = token
        self.shard = shard
    }
}

/// The answer to a write that is checked against its lease's epoch.
package enum FencedAnswer: String, Hashable, Sendable, Codable {
    /// The coordinator stored the write.
    case accepted
    /// The same write was stored before, and its first answer was lost; the caller treats it as
    /// accepted.
    case duplicate
    /// The lease was lost: the worker drops the result and deletes nothing.
    case stale
}
