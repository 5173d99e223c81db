// Wrong tokens and codes, counted by the address that they come from: who guesses waits.
import FarmCore
import Synchronization

final class LoginFailures: Sendable {
    private let state = Mutex<(minute: Int64, counts: [String: Int])>((0, [:]))

    /// What all addresses share beyond the first thousand.
    private static let others = "others"

    /// Whether an address may try; `now` is in milliseconds since 1970.
    func allows(_ peer: String?, now: Int64) -> Bool {
        state.withLock { state in
            guard state.minute == now / 60_000 else { return true }
            let count = state.counts[peer ?? ""] ?? state.counts[Self.others] ?? 0
            return count < FarmLimits.loginFailuresMax
        }
    }

    func note(_ peer: String?, now: Int64) {
        state.withLock { state in
            if state.minute != now / 60_000 { state = (now / 60_000, [:]) }
            let isKnown = state.counts[peer ?? ""] != nil
            let hasRoom = state.counts.count < FarmLimits.loginAddressesMax
            state.counts[isKnown || hasRoom ? peer ?? "" : Self.others, default: 0] += 1
        }
    }
}
