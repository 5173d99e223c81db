// When the tests of a lease will have ended, so that the next one is there by then. A wrong guess
// costs time, never a result: what came too early is given back, what came too late is waited for.
import FarmCore

/// How far the tests of a lease are.
struct LeaseProgress: Sendable {
    var tests: Int
    var finished = 0
    /// Seconds since the lease was begun.
    var seconds: Double
    /// The same since the last test ended, or since the beginning.
    var sinceLast: Double
}

/// What a worker knows of how long its tests take.
struct LeasePace: Sendable {
    /// Tests after whose end a lease is known by itself.
    private static let finishedMin = 3
    /// Quick tests take now a sixth more and now a sixth less than in the lease before.
    private static let doubtShare = 1.0 / 6
    /// Seconds a test took in the last lease of each job, with its share of what the lease took.
    private var seconds: [JobName: Double] = [:]
    /// The quickest claim that got a lease; others waited for work as well.
    private var claimSeconds: Double?

    mutating func note(_ job: JobName, tests: Int, seconds: Double) {
        self.seconds[job] = seconds / Double(max(1, tests))
    }

    mutating func note(claimSeconds: Double) {
        self.claimSeconds = min(self.claimSeconds ?? .infinity, claimSeconds)
    }

    /// Seconds before the expected end of a lease at which the next one shall be claimed, where the
    /// lease has taken some `seconds` when that end comes.
    ///
    /// What a claim takes, and what an end may be expected at wrongly: the more, the longer the lease.
    func lead(of seconds: Double) -> Double {
        let doubt = max(
            FarmLimits.claimAheadSeconds,
            min(seconds * Self.doubtShare, FarmLimits.leaseUnbegunSecondsMax / 4)
        )
        return min(doubt + 2 * (claimSeconds ?? 0), FarmLimits.leaseUnbegunSecondsMax)
    }

    /// Seconds until a lease's tests will have ended; nil where nothing is known.
    ///
    /// Programs that report at their end only have finished nothing until then: the lease before
    /// says what their tests take.
    func secondsLeft(of job: JobName, _ progress: LeaseProgress) -> Double? {
        let isKnown = progress.finished >= Self.finishedMin
        let mean =
            isKnown
            ? (progress.seconds - progress.sinceLast) / Double(progress.finished) : seconds[job]
        guard let mean else { return nil }
        return max(0, mean * Double(progress.tests - progress.finished) - progress.sinceLast)
    }
}
