// The health of a worker, from its reports and from other workers' results of the tests that it
// failed. If others pass them, the worker is broken; if they fail everywhere, the tests are.
//
// Invariants
//   - No worker is judged by its own reports: only another worker confirms a failure.
//   - A worker is suspended only while another one may work, and never for long: no run waits for
//     ever.
import FarmCore

/// The health of one worker.
package struct WorkerHealth: Hashable, Sendable {
    /// Whether the worker passed a test, or another worker confirmed one of its failures.
    package var isProven = false
    /// The number of the worker's failures that no other worker has confirmed; each pass takes one
    /// away.
    package var unconfirmed = 0
    /// The time of the worker's last failure, in milliseconds since 1970.
    package var failedAt: Int64 = 0
    /// The reason that the worker itself reported for not working, or `nil` if it works.
    package var unfit: Problem?

    init() {}

    // MARK: events

    package mutating func passed() {
        isProven = true
        unconfirmed = max(0, unconfirmed - 1)
    }

    package mutating func failed(now: Int64) {
        unconfirmed = min(unconfirmed + 1, Self.countMax)
        failedAt = now
    }

    /// Notes that another worker failed the same test, so that this worker's failures are credible.
    package mutating func wasConfirmed() {
        isProven = true
        unconfirmed = 0
    }

    // MARK: consequences

    /// Whether the worker's last failure counts only if another worker fails the same test, too.
    ///
    /// That is always so for a worker that never passed a test.
    package var asksAnother: Bool { !isProven || unconfirmed > Self.believedMax }

    /// Returns whether the worker gets no work while others may work.
    ///
    /// `planned` is the number of the run's test cases, `now` in milliseconds since 1970.
    package func isSuspended(planned: Int, now: Int64) -> Bool {
        unconfirmed >= Self.unconfirmedMax(planned: planned, isProven: isProven)
            && failedAt > Self.suspendedSince(now: now)
    }

    /// Returns the number of unconfirmed failures that suspends a worker.
    ///
    /// It is a share of the run's test cases, so that a broken machine costs little, but at least a
    /// few, which may have one cause.
    package static func unconfirmedMax(planned: Int, isProven: Bool) -> Int {
        guard isProven else { return FarmLimits.unprovenTestsMax }
        let share = planned / FarmLimits.suspendingShare
        return min(max(share, FarmLimits.unprovenTestsMax), FarmLimits.suspendingMax)
    }

    /// Returns the time, in milliseconds since 1970, after which a worker's last failure suspends
    /// it; an older failure does not.
    package static func suspendedSince(now: Int64) -> Int64 {
        now - Int64(FarmLimits.suspendedSeconds * 1000)
    }

    /// Returns the most test cases of one lease in a run with `planned`: few until the worker has
    /// passed a test, and after a suspension.
    package func leaseMax(planned: Int) -> Int {
        let isTrusted =
            isProven && unconfirmed < Self.unconfirmedMax(planned: planned, isProven: true)
        return isTrusted ? FarmLimits.testsPerLeaseMax : FarmLimits.unprovenTestsMax
    }

    /// The largest value of the counters; no rule uses larger numbers.
    private static let countMax = 1_000_000
    /// The number of a proven worker's unconfirmed failures that count without another worker.
    private static let believedMax = 2
}

/// The counts of the other workers that live and can work.
package struct WorkerPeers: Hashable, Sendable {
    /// The number of workers that may get work now.
    package var able: Int
    package var suspended: Int

    package static let none = WorkerPeers(able: 0, suspended: 0)

    package static func + (left: WorkerPeers, right: WorkerPeers) -> WorkerPeers {
        WorkerPeers(able: left.able + right.able, suspended: left.suspended + right.suspended)
    }
}

/// The permission of a worker to work, given the other workers.
package struct WorkerStanding: Hashable, Sendable {
    /// Why the worker gets no work now, or `nil` if it may work.
    package var obstacle: Problem?
    /// Whether another worker may take work; it then also repeats this worker's failed tests.
    package var hasOthers: Bool

    /// Decides whether a worker may work: a suspended worker waits while another may work.
    ///
    /// If no other may, it goes on, because a slow answer is better than none.
    ///
    /// `planned` is the number of the run's test cases; `now` is in milliseconds since 1970.
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
    /// The problem of a worker that gets no work for a while.
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
