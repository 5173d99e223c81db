// What launchers decide by (LaunchRules): work that waits for workers, and workers that have called.
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

    package init(run: RunID, needs: Needs, cell: CellKey, waiting: Int, open: Int, leases: Int) {
        self.run = run
        self.needs = needs
        self.cell = cell
        self.waiting = waiting
        self.open = open
        self.leases = leases
    }
}

/// A worker that has called.
package struct CalledWorker: Hashable, Sendable {
    package var id: WorkerID
    /// Milliseconds since 1970.
    package var seen: Int64
    /// Not lost, nor silent for longer than a lease.
    package var isLive: Bool
    /// It says that it cannot work.
    package var isUnfit: Bool
    package var leases: Int
    package var offer: WorkerOffer

    package init(
        id: WorkerID,
        seen: Int64,
        isLive: Bool,
        isUnfit: Bool = false,
        leases: Int = 0,
        offer: WorkerOffer = WorkerOffer()
    ) {
        self.id = id
        self.seen = seen
        self.isLive = isLive
        self.isUnfit = isUnfit
        self.leases = leases
        self.offer = offer
    }
}
