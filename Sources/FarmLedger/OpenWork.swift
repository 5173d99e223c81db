// The facts of `LaunchRules`: open test cases, and the workers that have called.
import FarmCore

/// Open test cases of one run that need the same of a worker.
package struct OpenWork: Hashable, Sendable {
    package var run: RunID
    package var needs: Needs
    /// One of its cells, for people and for commands.
    package var cell: CellKey
    /// Without a lease.
    package var waiting: Int
    /// Without a verdict, leased ones among them.
    package var open: Int
    /// Live leases.
    package var leases: Int
}

/// A worker that has called.
package struct CalledWorker: Hashable, Sendable {
    package var id: WorkerID
    /// Milliseconds since 1970.
    package var seen: Int64
    /// Not lost, nor silent for longer than a lease.
    package var isLive: Bool
    /// It says that it cannot work.
    package var isUnfit: Bool = false
    package var leases: Int = 0
    package var offer: WorkerOffer = WorkerOffer()
}
