// What monitors are told of a coordinator's data folder, beside its ledger.

/// What a coordinator's data folder says to monitors.
package struct UpkeepFacts: Sendable, Hashable {
    /// Of the disk that holds the data folder; nil where it does not say.
    package var diskBytes: Int?
    /// What the coordinator's user may still write there.
    package var diskFreeBytes: Int?
    package var ledgerBytes: Int?
    /// When something last ended well, in seconds since 1970; without what never did.
    package var lastSuccess: [UpkeepTask: Int] = [:]

    package init() {}
}

/// What is done again and again so that a farm can go on.
package enum UpkeepTask: String, Sendable, CaseIterable {
    case backup
    case retention
}
