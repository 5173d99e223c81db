// Mistakes that a farm could make, each to be switched on alone: a simulator that does not find them
// proves nothing about the farm that has none.

/// A mistake put into the simulated farm on purpose.
package enum PlantedBug: String, CaseIterable, Sendable {
    /// A report under a lease that was lost decides the verdict.
    case lateReport = "late-report"
    /// A lease that has ended can be renewed.
    case lateRenewal = "late-renewal"
    /// A worker that finds nothing to do gets what another has.
    case doubleLease = "double-lease"
    /// A worker reports before the picture it names is stored.
    case verdictBeforeBlob = "verdict-before-blob"
    /// Leases are taken back before their deadline.
    case earlyExpiry = "early-expiry"
    /// What is given back is not leased again.
    case lostRelease = "lost-release"
    /// A retry that passes hides that a picture had no reference.
    case retryHidesNew = "retry-hides-new"
    /// A restarted coordinator numbers its leases from 1.
    case epochReset = "epoch-reset"
    /// A completion that comes again is counted again.
    case doubleCompletion = "double-completion"
    /// The test cases of one cell are not written down.
    case forgottenCell = "forgotten-cell"
    /// A worker gets cells that it does not fit.
    case ignoredNeed = "ignored-need"
    /// A worker that has a lease gets another.
    case secondLease = "second-lease"
    /// Pictures come with their lease: one that is taken back takes them along.
    case picturesWithTheLease = "pictures-with-the-lease"
}
