// Reconnecting: a worker of a fleet outlives its coordinator's restarts. It calls again after
// growing, random pauses, so that workers do not call all at once.
import FarmAPI
import FarmCore
import Foundation

extension Worker {
    /// Reports to the coordinator that this worker is there, with its offer.
    func hello(_ client: CoordinatorClient, beginsAnew: Bool) async throws {
        try await client.hello(
            HelloRequest(worker: id, beginsAnew: beginsAnew, offer: offer, host: host)
        )
    }

    /// Claims and runs leases until no run is open; with `staysIdle` it also waits for a
    /// coordinator that is away.
    func workReconnecting(staysIdle: Bool, _ held: HeldLeases) async throws {
        guard staysIdle else {
            try await hello(client, beginsAnew: true)
            return try await leaseAfterLease(staysIdle: false, held)
        }
        var pause = Reconnection()
        var isKnown = false
        while true {
            let began = ContinuousClock.now
            do {
                // One try only: a user who starts a worker without a coordinator sees the reason at
                // once.
                try await hello(renewals, beginsAnew: !isKnown)
                isKnown = true
                // The lease was cut off here; once released, its tests run elsewhere.
                if let token = held.token {
                    _ = try await client.release(token)
                    held.end()
                }
                return try await leaseAfterLease(staysIdle: true, held)
            } catch let error as APIError where error.isUnreachable {
                try Task.checkCancellation()
                // A worker that never worked was started wrongly, and waiting does not help.
                if !isKnown, error.exit == .configuration { throw error }
                if ContinuousClock.now - began > .seconds(FarmLimits.leaseSeconds) {
                    pause = Reconnection()
                }
                let seconds = pause.next(random: Double.random(in: 0.5...1))
                log(
                    "\(error.message) \(error.remedy) Calling again in "
                        + "\(Int(seconds.rounded(.up))) s."
                )
                try await Task.sleep(for: .seconds(seconds))
            }
        }
    }
}

/// The pauses between calls to a coordinator that is away: each twice the one before, up to a
/// limit.
struct Reconnection {
    private var seconds = 0.5

    /// Returns the next pause in seconds; `random`, from 0.5 to 1, shortens it.
    mutating func next(random: Double) -> Double {
        seconds = min(seconds * 2, FarmLimits.reconnectSecondsMax)
        return seconds * random
    }
}
