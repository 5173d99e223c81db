// A worker of a fleet outlives its coordinator's restarts: it calls again, more and more rarely,
// and never all workers at the same moment.
import FarmAPI
import FarmCore
import Foundation

extension Worker {
    /// Says that this worker is there, and what it offers.
    func hello(_ client: CoordinatorClient, beginsAnew: Bool) async throws {
        try await client.hello(
            HelloRequest(worker: id, beginsAnew: beginsAnew, offer: offer, host: host)
        )
    }

    /// Works lease after lease; one that `staysIdle` also waits for a coordinator that is gone.
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
                // Without patience: who starts a worker that finds no coordinator reads why at once.
                try await hello(renewals, beginsAnew: !isKnown)
                isKnown = true
                // What was cut off here runs elsewhere as soon as the coordinator hears of it.
                if let token = held.token {
                    _ = try await client.release(token)
                    held.end()
                }
                return try await leaseAfterLease(staysIdle: true, held)
            } catch let error as APIError where error.isUnreachable {
                try Task.checkCancellation()
                // A worker that never worked was started wrongly, and no waiting mends that.
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

/// How long to wait before the next call: doubled each time, up to a bound.
struct Reconnection {
    private var seconds = 0.5

    /// `random` from 0.5 to 1 shortens the pause.
    mutating func next(random: Double) -> Double {
        seconds = min(seconds * 2, FarmLimits.reconnectSecondsMax)
        return seconds * random
    }
}
