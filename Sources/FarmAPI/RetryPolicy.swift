// The retries of a call while its coordinator is away. Pauses double and are spread at random, so
// that a hundred workers do not all come back at the same moment.
import FarmCore

/// The limits of a call's attempts before the coordinator counts as unreachable.
package struct RetryPolicy: Sendable {
    /// The least number of attempts, however quickly they fail; at least 1.
    package var attemptsMin: Int
    /// The seconds after which no further attempt begins.
    package var seconds: Double
    /// The seconds that one attempt may take to connect.
    let connectSeconds: Int64
    /// Called before each further attempt of a call that waits for the coordinator's bucket.
    var onBucketAway: @Sendable () -> Void = {}

    init(attemptsMin: Int, seconds: Double, connectSeconds: Int64 = 5) {
        self.attemptsMin = max(1, attemptsMin)
        self.seconds = seconds
        self.connectSeconds = connectSeconds
    }

    /// The retries of commands, whose users want an answer soon.
    package static let usual = RetryPolicy(attemptsMin: 4, seconds: 0, connectSeconds: 2)
    /// The retries of workers and of a run that has begun: a coordinator that is back within two
    /// leases has lost nothing.
    package static let patient = RetryPolicy(attemptsMin: 4, seconds: 2 * FarmLimits.leaseSeconds)
    /// The retries of a renewal: one attempt, because the next renewal comes soon.
    package static let once = RetryPolicy(attemptsMin: 1, seconds: 0)

    /// Returns this policy with a call of `body` before each further attempt that waits for the
    /// coordinator's bucket.
    package func onBucketAway(_ body: @escaping @Sendable () -> Void) -> RetryPolicy {
        var policy = self
        policy.onBucketAway = body
        return policy
    }

    /// Returns whether a further attempt may help after a fault.
    ///
    /// A policy with time goes on in any case: the fault may be mended meanwhile.
    func goesOn(after fault: ConnectionFault) -> Bool { seconds > 0 || !fault.endsAttempts }

    func begin() -> Tries { Tries(patience: self, began: .now) }

    /// The attempts of one call.
    struct Tries {
        let patience: RetryPolicy
        let began: ContinuousClock.Instant
        private(set) var count = 0
        /// Whether the last attempt found a coordinator and no leader: a takeover ends that soon.
        var isLeaderless = false
        /// Whether the last attempt found a coordinator whose bucket is away; a policy with time
        /// then gets more of it.
        var isBucketAway = false
        /// The seconds of pause that a coordinator suggested, or 0.
        private var hint = 0.0

        init(patience: RetryPolicy, began: ContinuousClock.Instant) {
            self.patience = patience
            self.began = began
        }

        /// Whether the least number of attempts is used up.
        var hasUsedMinimum: Bool { count >= patience.attemptsMin }
        var isLast: Bool {
            hasUsedMinimum && ContinuousClock.now - began >= .seconds(seconds)
        }

        private var seconds: Double {
            if isBucketAway, patience.seconds > 0 {
                return max(patience.seconds, FarmLimits.bucketPatienceSeconds)
            }
            let waits = isLeaderless && patience.attemptsMin > 1
            return waits ? max(patience.seconds, FarmLimits.leaderSeconds) : patience.seconds
        }

        /// Makes the next pause at least `seconds` long, before its random spread.
        mutating func pauses(for seconds: Double) { hint = max(hint, seconds) }

        /// Pauses before the next attempt, but not before the first; returns `false` if no attempt
        /// is left.
        mutating func next() async throws -> Bool {
            if count > 0 {
                if isLast { return false }
                let pause = min(0.1 * Double(1 << min(count, 6)), FarmLimits.retryPauseSecondsMax)
                let spread = max(hint, pause) * .random(in: 0.5...1)
                hint = 0
                try await Task.sleep(for: .seconds(spread))
            }
            try Task.checkCancellation()
            count += 1
            return true
        }
    }
}
