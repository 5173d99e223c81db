// How long the coordinators of a pool wait for each other and for the database.

package struct PoolLimits: Sendable {
    /// A leader that the database did not hear of for so long is replaced, even where its lock holds.
    package var deadlineMilliseconds = 5000
    /// Between two signs of life of a leader that has nothing to append.
    package var heartbeatSeconds = 1.0
    /// Between two looks of a follower.
    package var lookSeconds = 0.05
    /// For a statement: it may wait for a standby.
    package var answerSeconds = 15.0
    package var connectSeconds = 5.0
    /// After it stepped down, a coordinator lets others lead for so long.
    package var restSeconds = 5.0
    /// Entries that a follower applies in one transaction.
    package var entriesMax = 256
    /// Of their changesets, unless a single one has more.
    package var entriesBytes = 32 << 20
    /// A follower keeps a snapshot after so many entries; a leader that has no follower, after twice
    /// as many.
    package var snapshotEntries: Int64 = 10_000
    package var partBytes = 4 << 20

    package init() {}
}
