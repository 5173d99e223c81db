// A histogram of the durations of the ledger's commits, for monitors.
import Synchronization

/// A histogram of the durations of commits; any thread may add to it.
package final class CommitTiming: Sendable {
    /// The upper bounds of the histogram's buckets, in seconds; one more bucket takes longer
    /// durations.
    package static let bounds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5]

    /// The number of durations in each bucket, and the sum of all durations.
    package struct Counts: Sendable {
        /// The number of durations in each bucket, not cumulative; one more bucket than there are
        /// bounds.
        package var buckets = [Int](repeating: 0, count: bounds.count + 1)
        package var seconds = 0.0
    }

    private let counts = Mutex(Counts())

    init() {}

    package func add(_ duration: Duration) {
        let seconds =
            Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
        let bucket = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
        counts.withLock {
            $0.buckets[bucket] += 1
            $0.seconds += seconds
        }
    }

    package var now: Counts { counts.withLock { $0 } }
}
