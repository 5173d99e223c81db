// What the time limit of a shard means. The farm cuts shards, so that a limit which a shard of quick
// tests reaches says that the shard was too long, and nothing of its tests: leases are cut to take
// half of it at most, and who is not to blame runs again. Without either, a suite of healthy tests
// that takes longer than its limit would have errors wherever it was cut.
//
// Invariant: each lease decides at least one test case, or counts attempts; a run ends.

package enum ShardTime {
    /// What a lease may be expected to take, and what a test may take that is not to blame.
    private static let share = 0.5

    /// Test cases whose time fits into a lease of a job, at least 1.
    ///
    /// `meanSeconds` is what a test case of the job has taken on average; before the first has
    /// ended (nil), each may take as long as its own limit lets it.
    package static func sizeMax(_ timeouts: JobTimeouts, meanSeconds: Double?) -> Int {
        let count =
            meanSeconds.map { share * timeouts.shardSeconds / $0 }
            ?? timeouts.shardSeconds / timeouts.testSeconds
        guard count < Double(FarmLimits.testsPerLeaseMax) else {
            return FarmLimits.testsPerLeaseMax
        }
        return max(1, Int(count))
    }

    /// Microseconds that the tests of a lease may be expected to take.
    package static func budgetMax(_ timeouts: JobTimeouts) -> Int {
        Int(min(share * timeouts.shardSeconds * 1_000_000, 1e15))
    }

    /// The test cases that are errored because the shard's time is over before they had a result;
    /// the others of `open` wait again.
    ///
    /// `seconds` says how long those have run that were begun. Who took more than half of the
    /// shard's time is to blame. Where nothing at all was finished, and nobody is, all are.
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
