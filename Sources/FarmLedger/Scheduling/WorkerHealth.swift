// What the farm thinks of a worker: from what it reports, and from what other workers make of the
// tests it failed. A worker that fails what others pass is broken; tests that fail everywhere are.
//
// Invariants
//   - Nobody is judged by its own word: only another worker confirms a failure.
//   - A worker is suspended only while another one may work, and never for long: no run waits for
//     ever.
import FarmCore

/// What is known of one worker.
package struct WorkerHealth: Hashable, Sendable {
    /// It passed a test, or another worker confirmed a failure of it.
    package var isProven = false
    /// Failures that no other worker has confirmed; a pass takes one away.
    package var unconfirmed = 0
    /// Milliseconds since 1970 of the last failure.
    package var failedAt: Int64 = 0
    /// Why it says itself that it cannot work.
    package var unfit: Problem?

    init() {}

    // MARK: what happens to it

    package mutating func passed() {
        isProven = true
        unconfirmed = max(0, unconfirmed - 1)
    }

    package mutating func failed(now: Int64) {
        unconfirmed = min(unconfirmed + 1, Self.countMax)
        failedAt = now
    }

    /// Another worker failed what this one failed: both may be believed.
    package mutating func wasConfirmed() {
        isProven = true
        unconfirmed = 0
    }

    // MARK: what follows

    /// Whether a failure that was just noted stands only when another worker fails the test too.
    ///
    /// A worker that never passed anything is always asked about.
    package var asksAnother: Bool { !isProven || unconfirmed > Self.believedMax }

    /// Whether it gets no work while others may work.
    ///
    /// `planned` counts the run's test cases, `now` is in milliseconds since 1970.
    package func isSuspended(planned: Int, now: Int64) -> Bool {
        unconfirmed >= Self.unconfirmedMax(planned: planned, isProven: isProven)
            && failedAt > Self.suspendedSince(now: now)
    }

    /// Unconfirmed failures that suspend a worker: a share of the run's test cases, so that a broken
    /// machine costs little, and never fewer than a few that may have one cause.
    package static func unconfirmedMax(planned: Int, isProven: Bool) -> Int {
        guard isProven else { return FarmLimits.unprovenTestsMax }
        let share = planned / FarmLimits.suspendingShare
        return min(max(share, FarmLimits.unprovenTestsMax), FarmLimits.suspendingMax)
    }

    /// A suspension whose last failure is not younger has ended.
    package static func suspendedSince(now: Int64) -> Int64 {
        now - Int64(FarmLimits.suspendedSeconds * 1000)
    }

    /// Test cases that one lease of the worker may have, of a run that has `planned`: few until it
    /// has passed something, and when it comes back from a suspension.
    package func leaseMax(planned: Int) -> Int {
        let isTrusted =
            isProven && unconfirmed < Self.unconfirmedMax(planned: planned, isProven: true)
        return isTrusted ? FarmLimits.testsPerLeaseMax : FarmLimits.unprovenTestsMax
    }

    /// Counters stop here; nothing is decided by larger numbers.
    private static let countMax = 1_000_000
    /// Failures of a proven worker that stand by its own word.
    private static let believedMax = 2
}

/// The other workers that live and can work, counted.
package struct WorkerPeers: Hashable, Sendable {
    /// Workers that may get work now.
    package var able: Int
    package var suspended: Int

    package static let none = WorkerPeers(able: 0, suspended: 0)

    package static func + (left: WorkerPeers, right: WorkerPeers) -> WorkerPeers {
        WorkerPeers(able: left.able + right.able, suspended: left.suspended + right.suspended)
    }
}

/// What a worker may do, beside its peers.
package struct WorkerStanding: Hashable, Sendable {
    /// Why it gets no work now; nil: it may.
    package var obstacle: Problem?
    /// Whether another worker may take work; what this one failed then runs there.
    package var hasOthers: Bool

    /// Decides by the one rule: who is suspended waits while another may work; when nobody else may,
    /// it goes on, because a slow answer is better than none.
    ///
    /// `planned` counts the run's test cases; `now` is in milliseconds since 1970.
    init(
        _ worker: WorkerID,
        _ health: WorkerHealth,
        peers: WorkerPeers,
        planned: Int,
        now: Int64
    ) {
        let isSuspended = health.isSuspended(planned: planned, now: now)
        hasOthers = peers.able > 0 || isSuspended && peers.suspended > 0
        obstacle = health.unfit
        if obstacle == nil, isSuspended, peers.able > 0 {
            obstacle = .suspended(worker, failures: health.unconfirmed)
        }
    }
}

extension Problem {
    /// A worker gets no work for a while.
    package static func suspended(_ worker: WorkerID, failures: Int) -> Problem {
        Problem(
            code: "worker-suspended",
            message: "worker \(worker) is suspended: \(failures) tests failed on it that no other "
                + "worker has seen fail.",
            remedy: "Look at that machine and the worker's log (disk, browser, simulator). Other "
                + "workers run these tests; the worker gets work again after "
                + "\(Int(FarmLimits.suspendedSeconds / 60)) minutes."
        )
    }
}
