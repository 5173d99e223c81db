// The facts of a coordinator's data folder that its metrics show.

/// The sizes of a coordinator's data folder, and the last success of each task of its upkeep.
package struct UpkeepFacts: Sendable, Hashable {
    /// The size in bytes of the disk that holds the data folder, or `nil` if the system does not
    /// give it.
    package var diskBytes: Int?
    /// The free bytes of that disk for the coordinator's user, or `nil` if the system does not give
    /// them.
    package var diskFreeBytes: Int?
    package var ledgerBytes: Int?
    /// The time of each task's last success, in seconds since 1970; tasks that never succeeded are
    /// absent.
    package var lastSuccess: [UpkeepTask: Int] = [:]

    package init() {}
}

/// A task that a coordinator repeats to keep the farm running.
package enum UpkeepTask: String, Sendable, CaseIterable {
    case backup
    case retention
}
