// The time of a lease by the worker's own clock, counted from the moment when the claim or renewal
// was sent, so that it never ends later here than at the coordinator.
import FarmCore
import Synchronization

/// The durations of leases and of the pauses between renewals; shorter in tests.
package struct LeaseTiming: Sendable {
    package var leaseSeconds: Double
    package var renewalSeconds: Double

    package static let usual = LeaseTiming(
        leaseSeconds: FarmLimits.leaseSeconds,
        renewalSeconds: FarmLimits.renewalSeconds
    )
}

/// The time left of one lease, by this worker's clock.
final class LeaseClock: Sendable {
    let timing: LeaseTiming
    private let sent: Mutex<ContinuousClock.Instant>

    init(timing: LeaseTiming, claimSent: ContinuousClock.Instant) {
        self.timing = timing
        sent = Mutex(claimSent)
    }

    /// Notes that a renewal, sent at `moment`, was accepted.
    func renewed(sent moment: ContinuousClock.Instant) {
        sent.withLock { $0 = max($0, moment) }
    }

    private var end: ContinuousClock.Instant {
        sent.withLock { $0 } + .seconds(timing.leaseSeconds)
    }
    /// The time when the next renewal is due.
    var renewalDue: ContinuousClock.Instant {
        sent.withLock { $0 } + .seconds(timing.renewalSeconds)
    }

    /// Waits until the lease has expired without an accepted renewal.
    func expire() async throws {
        while true {
            let limit = end
            guard ContinuousClock.now < limit else { return }
            try await Task.sleep(until: limit, clock: .continuous)
        }
    }
}
