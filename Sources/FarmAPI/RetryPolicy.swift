// How long a call is tried while its coordinator is away. Pauses double and are spread at random,
// so that a hundred workers do not all come back in the same moment.
import FarmCore

/// How long a call is tried before the coordinator counts as unreachable.
package struct RetryPolicy: Sendable {
    /// Times a call is sent, however little time that takes; at least 1.
    package var attemptsMin: Int
    /// Seconds after which no further attempt begins.
    package var seconds: Double
    /// Seconds one attempt may take to connect.
    let connectSeconds: Int64
    /// Called before each further attempt of a call that waits for the coordinator's bucket.
    var onBucketAway: @Sendable () -> Void = {}

    init(attemptsMin: Int, seconds: Double, connectSeconds: Int64 = 5) {
        self.attemptsMin = max(1, attemptsMin)
        self.seconds = seconds
        self.connectSeconds = connectSeconds
    }

    /// For people, who want to know soon.
    package static let usual = RetryPolicy(attemptsMin: 4, seconds: 0, connectSeconds: 2)
    /// For workers: a coordinator that is back within two leases has lost nothing.
    package static let worker = RetryPolicy(attemptsMin: 4, seconds: 2 * FarmLimits.leaseSeconds)
    /// For a renewal: the next one comes soon.
    package static let once = RetryPolicy(attemptsMin: 1, seconds: 0)

    /// The same, and `body` is called before each further attempt of a call that waits for the
    /// coordinator's bucket.
    package func onBucketAway(_ body: @escaping @Sendable () -> Void) -> RetryPolicy {
        var policy = self
        policy.onBucketAway = body
        return policy
    }

    /// Whether a further attempt may help.
    ///
    /// Who has time tries all the same: what is wrong may be put right meanwhile.
    func goesOn(after fault: ConnectionFault) -> Bool { seconds > 0 || !fault.endsAttempts }

    func begin() -> Tries { Tries(patience: self, began: .now) }

    /// The attempts of one call.
    struct Tries {
        let patience: RetryPolicy
        let began: ContinuousClock.Instant
        private(set) var count = 0
        /// The last attempt found a coordinator, and none that leads: a takeover ends that soon.
        var isLeaderless = false
        /// The last attempt found a coordinator whose bucket is away: who has time has more of it.
        var isBucketAway = false
        /// Seconds that a coordinator asked for.
        private var hint = 0.0

        init(patience: RetryPolicy, began: ContinuousClock.Instant) {
            self.patience = patience
            self.began = began
        }

        /// The attempts that everything gets are used up.
        var isPatient: Bool { count >= patience.attemptsMin }
        var isLast: Bool {
            isPatient && ContinuousClock.now - began >= .seconds(seconds)
        }

        private var seconds: Double {
            if isBucketAway, patience.seconds > 0 {
                return max(patience.seconds, FarmLimits.bucketPatienceSeconds)
            }
            let waits = isLeaderless && patience.attemptsMin > 1
            return waits ? max(patience.seconds, FarmLimits.leaderSeconds) : patience.seconds
        }

        /// The next pause takes so long at least.
        mutating func pauses(for seconds: Double) { hint = max(hint, seconds) }

        /// Waits for its turn; false when there is no further attempt.
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
