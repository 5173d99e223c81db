// The time limit of a shard. snapfarm itself cuts shards, so if a shard of quick tests reaches the
// limit, the shard was too long, and its tests have no fault. So leases are cut to take at most
// half of the limit, and tests that did not cause the delay run again. Otherwise, a suite of
// healthy tests that takes longer than the limit would have errors at each cut.
//
// Invariant: each lease decides at least one test case, or counts attempts; a run ends.

package enum ShardTime {
    /// The share of a shard's time limit that a lease may be expected to take, and that one test
    /// may take without being errored.
    private static let share = 0.5

    /// Returns the most test cases whose time fits into a lease of a job, at least 1.
    ///
    /// `meanSeconds` is the average time of the job's ended test cases. If it is `nil`, each may
    /// take as long as its own limit allows.
    package static func sizeMax(_ timeouts: JobTimeouts, meanSeconds: Double?) -> Int {
        let count =
            meanSeconds.map { share * timeouts.shardSeconds / $0 }
            ?? timeouts.shardSeconds / timeouts.testSeconds
        guard count < Double(FarmLimits.testsPerLeaseMax) else {
            return FarmLimits.testsPerLeaseMax
        }
        return max(1, Int(count))
    }

    /// Returns the microseconds that the tests of one lease may be expected to take together.
    package static func budgetMax(_ timeouts: JobTimeouts) -> Int {
        Int(min(share * timeouts.shardSeconds * 1_000_000, 1e15))
    }

    /// Returns those of the unfinished test cases, `open`, that are errored because the shard's
    /// time is over; the others wait again.
    ///
    /// `seconds` are the times of the started ones. A test that took more than half of the shard's
    /// time is errored. If there is none, and nothing was finished at all, all are errored.
    package static func overrunning(
        _ open: [TestID],
        seconds: [TestID: Double],
        _ timeouts: JobTimeouts,
        hasFinished: Bool
    ) -> [TestID] {
        let slow = open.filter { seconds[$0].map { $0 > share * timeouts.shardSeconds } ?? false }
        return slow.isEmpty && !hasFinished ? open : slow
    }
}
