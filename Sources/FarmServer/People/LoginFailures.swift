// Counts wrong tokens and codes by address, and answers them with 429 beyond a limit. A right token always
// logs in: many people may share a proxy's address, and 256 random bits cannot be guessed.
import FarmCore
import Synchronization

final class LoginFailures: Sendable {
    private let state = Mutex<(minute: Int64, counts: [String: Int])>((0, [:]))

    /// What all addresses share beyond the first thousand.
    private static let others = "others"

    /// Counts a wrong try; true where the address has had enough in this minute already.
    ///
    /// `now` is in milliseconds since 1970.
    func isOneTooMany(_ peer: String?, now: Int64) -> Bool {
        state.withLock { state in
            if state.minute != now / 60_000 { state = (now / 60_000, [:]) }
            let isKnown = state.counts[peer ?? ""] != nil
            let hasRoom = state.counts.count < FarmLimits.loginAddressesMax
            let place = isKnown || hasRoom ? peer ?? "" : Self.others
            state.counts[place, default: 0] += 1
            return state.counts[place, default: 0] > FarmLimits.loginFailuresMax
        }
    }
}
