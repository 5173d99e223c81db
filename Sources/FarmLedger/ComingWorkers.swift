// Workers that were started with the ledger and have not said anything yet. The first to come may be
// the sick one: what it fails waits for the others as if they were here.
import FarmCore
import Synchronization

/// How many workers are still expected.
final class ComingWorkers: Sendable {
    private let workersMin: Int
    /// Since when they are on their way, as far as the ledger knows: the first time that one was
    /// missing, or the last loss, after which another is started.
    private let since = Mutex<Milliseconds?>(nil)

    init(_ workersMin: Int) { self.workersMin = workersMin }

    /// In place of a worker that was lost another one is started.
    func lost(now: Milliseconds) { since.withLock { $0 = now } }

    /// Counts those that are still expected among the peers of a worker, as such that may work.
    ///
    /// So are those that say they cannot work: they may, soon. Who has not come within
    /// `FarmLimits.suspendedSeconds` is expected no more.
    func among(_ peers: WorkerPeers, now: Milliseconds) -> WorkerPeers {
        let missing = workersMin - 1 - peers.able - peers.suspended
        guard missing > 0 else { return peers }
        let since = since.withLock { since in
            let known = since ?? now
            since = known
            return known
        }
        guard since > WorkerHealth.suspendedSince(now: now) else { return peers }
        return peers + WorkerPeers(able: missing, suspended: 0)
    }
}
