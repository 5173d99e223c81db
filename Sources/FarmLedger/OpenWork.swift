// The input of `LaunchRules`: open test cases, and the workers that have called.
import FarmCore

/// Open test cases of one run with the same needs.
package struct OpenWork: Hashable, Sendable {
    package var run: RunID
    package var needs: Needs
    /// A cell with the needs of these test cases, named in notes and in commands that start
    /// workers.
    package var cell: CellKey
    /// The number of test cases without a lease and without a verdict.
    package var waiting: Int
    /// The number of test cases without a verdict, leased ones included.
    package var open: Int
    /// The number of live leases of these test cases.
    package var leases: Int
}

/// A worker that has called.
package struct CalledWorker: Hashable, Sendable {
    package var id: WorkerID
    /// The time of the worker's last call, in milliseconds since 1970.
    package var seen: Int64
    /// Whether the worker is neither lost nor silent for longer than a lease.
    package var isLive: Bool
    /// Whether the worker has reported that it cannot work.
    package var isUnfit: Bool = false
    package var leases: Int = 0
    package var offer: WorkerOffer = WorkerOffer()
}
