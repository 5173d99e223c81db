// What a worker does next, from what it has in its hands: one lease whose tests run, and one beside
// it, which is either next or on its way out. No effects here: the loop of `Worker` has them.
import FarmCore

/// The leases of one worker, and whether it waits for one.
struct LeaseHands {
    enum Action: Hashable {
        /// Asks for a lease; one that asks ahead does not wait for work.
        case claim(isAhead: Bool)
        case begin(LeaseToken)
        /// Has the lease until it begins on it, or for `FarmLimits.leaseUnbegunSecondsMax`.
        case keep(LeaseToken)
        case giveBack(LeaseToken)
        /// No run is open, and nothing is on its way.
        case leave
    }

    /// The lease whose tests run.
    private(set) var driving: LeaseToken?
    /// The lease that is begun when those have ended.
    private(set) var next: LeaseToken?
    /// Leases whose tests have ended, or that are given back.
    private(set) var outgoing: Set<LeaseToken> = []
    private var isClaiming = false
    /// The lease that runs is expected to end soon, and nothing was claimed because of it yet.
    private var isNearEnd = false
    private var wantsToLeave = false
    /// Nothing more is begun.
    private var isDraining = false

    /// Leases that the coordinator may think are this worker's.
    var open: Int { outgoing.count + (driving == nil ? 0 : 1) + (next == nil ? 0 : 1) }

    /// The first claim of all.
    mutating func begin() -> [Action] { claimIfFree() }

    /// Finishes what runs and begins nothing more.
    mutating func drain() -> [Action] {
        isDraining = true
        if let next { return overdue(next) }
        return driving == nil ? leaveIfDone() : []
    }

    mutating func claimed(_ token: LeaseToken) -> [Action] {
        isClaiming = false
        guard !isDraining else {
            outgoing.insert(token)
            return [.giveBack(token)]
        }
        guard driving != nil else { return begin(on: token) }
        next = token
        return [.keep(token)]
    }

    /// A claim brought nothing.
    mutating func claimedNothing(mayAskAgain: Bool) -> [Action] {
        isClaiming = false
        wantsToLeave = !mayAskAgain
        // What was asked ahead is asked again when the tests have ended.
        guard driving == nil else { return [] }
        return mayAskAgain ? claimIfFree() : leaveIfDone()
    }

    /// The tests of a lease are expected to have ended soon.
    mutating func nearEnd(_ token: LeaseToken) -> [Action] {
        guard driving == token else { return [] }
        isNearEnd = true
        return claimIfFree()
    }

    /// The tests of a lease have ended; its last reports may still be on their way.
    mutating func driven(_ token: LeaseToken) -> [Action] {
        guard driving == token else { return [] }
        driving = nil
        wantsToLeave = false
        outgoing.insert(token)
        if let next { return begin(on: next) }
        return claimIfFree()
    }

    /// The coordinator has answered a lease's last word, or it is lost, or it was given back.
    mutating func gone(_ token: LeaseToken) -> [Action] {
        outgoing.remove(token)
        if driving == token { driving = nil }
        if wantsToLeave { return leaveIfDone() }
        if driving == nil, let next { return begin(on: next) }
        return claimIfFree()
    }

    /// A lease was kept for as long as it may be.
    mutating func overdue(_ token: LeaseToken) -> [Action] {
        guard next == token else { return [] }
        next = nil
        outgoing.insert(token)
        return [.giveBack(token)]
    }

    private mutating func begin(on token: LeaseToken) -> [Action] {
        next = nil
        driving = token
        isNearEnd = false
        return [.begin(token)]
    }

    private mutating func claimIfFree() -> [Action] {
        if isDraining, driving == nil { return leaveIfDone() }
        guard !isDraining, driving == nil || isNearEnd, !isClaiming,
            open < FarmLimits.leasesPerWorkerMax
        else { return [] }
        isClaiming = true
        // Once for each lease: what came too early would come too early again.
        isNearEnd = false
        return [.claim(isAhead: driving != nil)]
    }

    private func leaveIfDone() -> [Action] { open == 0 && !isClaiming ? [.leave] : [] }
}
