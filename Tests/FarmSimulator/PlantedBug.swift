// Mistakes that a farm could make, each switched on alone. A simulator that misses them would prove
// nothing about a farm without them.

/// A mistake put into the simulated farm on purpose.
package enum PlantedBug: String, CaseIterable, Sendable {
    /// A report under a lost lease decides the verdict.
    case lateReport = "late-report"
    /// A lease that has ended can be renewed.
    case lateRenewal = "late-renewal"
    /// A worker without work gets another worker's test cases.
    case doubleLease = "double-lease"
    /// A worker reports before the picture of its report is stored.
    case verdictBeforeBlob = "verdict-before-blob"
    /// Leases are taken back before their deadline.
    case earlyExpiry = "early-expiry"
    /// Test cases of a released lease are not leased again.
    case lostRelease = "lost-release"
    /// A retry that passes hides that a picture had no reference.
    case retryHidesNew = "retry-hides-new"
    /// A restarted coordinator numbers its leases from 1.
    case epochReset = "epoch-reset"
    /// A repeated completion is counted again.
    case doubleCompletion = "double-completion"
    /// The test cases of one cell are not written.
    case forgottenCell = "forgotten-cell"
    /// A worker gets cells that it does not fit.
    case ignoredNeed = "ignored-need"
    /// A worker gets cells that a live worker draws as the references are drawn, and it does not.
    case ignoredRenderer = "ignored-renderer"
    /// A worker with a lease gets another one.
    case secondLease = "second-lease"
    /// Pictures belong to their lease: a lease that is taken back loses them.
    case picturesWithTheLease = "pictures-with-the-lease"
}
