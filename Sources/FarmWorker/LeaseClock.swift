// How long a lease is this worker's own, by the worker's clock alone. Counted from the moment a
// claim or renewal was sent, so it never ends later here than at the coordinator.
import FarmCore
import Synchronization

/// How long leases live; shorter in tests.
package struct LeaseTiming: Sendable {
    package var leaseSeconds: Double
    package var renewalSeconds: Double

    package static let usual = LeaseTiming(
        leaseSeconds: FarmLimits.leaseSeconds,
        renewalSeconds: FarmLimits.renewalSeconds
    )
}

/// The time that is left of one lease.
final class LeaseClock: Sendable {
    let timing: LeaseTiming
    private let sent: Mutex<ContinuousClock.Instant>

    init(timing: LeaseTiming, claimSent: ContinuousClock.Instant) {
        self.timing = timing
        sent = Mutex(claimSent)
    }

    /// A renewal that was sent then was accepted.
    func renewed(sent moment: ContinuousClock.Instant) {
        sent.withLock { $0 = max($0, moment) }
    }

    private var end: ContinuousClock.Instant {
        sent.withLock { $0 } + .seconds(timing.leaseSeconds)
    }
    /// When the next renewal is due.
    var renewalDue: ContinuousClock.Instant {
        sent.withLock { $0 } + .seconds(timing.renewalSeconds)
    }

    /// Returns when a lease has passed without an accepted renewal.
    func expire() async throws {
        while true {
            let limit = end
            guard ContinuousClock.now < limit else { return }
            try await Task.sleep(until: limit, clock: .continuous)
        }
    }
}
