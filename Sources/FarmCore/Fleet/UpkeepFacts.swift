// The facts of a coordinator's data folder that its metrics show.

/// Sizes of a coordinator's data folder, and the last success of each task of its upkeep.
package struct UpkeepFacts: Sendable, Hashable {
    /// Bytes of the disk with the data folder, or `nil` if the system does not give them.
    package var diskBytes: Int?
    /// Free bytes on it for the coordinator's user.
    package var diskFreeBytes: Int?
    package var ledgerBytes: Int?
    /// The time when each task last succeeded, in seconds since 1970; without tasks that never did.
    package var lastSuccess: [UpkeepTask: Int] = [:]

    package init() {}
}

/// A task that a coordinator repeats to keep the farm running.
package enum UpkeepTask: String, Sendable, CaseIterable {
    case backup
    case retention
}
