// The waits and sizes of a pool: how long coordinators wait for each other and for the database.

package struct PoolLimits: Sendable {
    /// The milliseconds after which a silent leader is replaced, even while its lock holds.
    package var deadlineMilliseconds = 5000
    /// The seconds after which a leader that appends nothing renews its deadline.
    package var heartbeatSeconds = 1.0
    /// The seconds between two reads of the pool's row by a follower.
    package var lookSeconds = 0.05
    /// The most seconds that a statement may take; it may wait for a standby.
    package var answerSeconds = 15.0
    package var connectSeconds = 5.0
    /// The seconds for which a coordinator that stepped down lets others take over.
    package var restSeconds = 5.0
    /// The most entries that a follower applies in one transaction.
    package var entriesMax = 256
    /// The most bytes of changesets that a follower applies in one transaction; a larger single
    /// entry is applied alone.
    package var entriesBytes = 32 << 20
    /// The number of entries after the last snapshot at which a follower makes another one; a
    /// leader waits for twice as many.
    package var snapshotEntries: Int64 = 10_000
    package var partBytes = 4 << 20

    package init() {}
}
