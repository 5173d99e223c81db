// A worker of a fleet outlives its coordinator's restarts: it calls again, more and more rarely,
// and never all workers at the same moment.
import FarmAPI
import FarmCore
import Foundation

extension Worker {
    /// Works lease after lease; one that `staysIdle` also waits for a coordinator that is gone.
    func workReconnecting(staysIdle: Bool, _ held: HeldLeases) async throws {
        guard staysIdle else { return try await leaseAfterLease(staysIdle: false, held) }
        var pause = Reconnection()
        var beginsAnew = true
        while true {
            let began = ContinuousClock.now
            do {
                return try await leaseAfterLease(staysIdle: true, beginsAnew: beginsAnew, held)
            } catch let error as APIError where error.isUnreachable {
                try Task.checkCancellation()
                beginsAnew = false
                if ContinuousClock.now - began > .seconds(FarmLimits.leaseSeconds) {
                    pause = Reconnection()
                }
                let seconds = pause.next(random: Double.random(in: 0.5...1))
                log("\(error.message) Calling again in \(Int(seconds.rounded(.up))) s.")
                try await Task.sleep(for: .seconds(seconds))
                // What was cut off here runs elsewhere as soon as the coordinator hears of it.
                for token in held.tokens where (try? await client.release(token)) != nil {
                    held.remove(token)
                }
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
