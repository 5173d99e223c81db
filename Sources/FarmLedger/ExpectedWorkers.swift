// Workers that were started with the ledger and have not called yet. The first worker to call may
// be the sick one: a test that it fails waits for the others as if they were here.
import FarmCore
import Synchronization

/// The count of workers that are still expected.
final class ExpectedWorkers: Sendable {
    private let workersMin: Int
    /// The time since which an expected worker is missing, or `nil` if none was: the first time
    /// that one was missing, or the last loss, after which another worker is started.
    private let since = Mutex<Milliseconds?>(nil)

    init(_ workersMin: Int) { self.workersMin = workersMin }

    /// Notes the time at which a worker was lost, because another one is started in its place.
    func lost(now: Milliseconds) { since.withLock { $0 = now } }

    /// Returns `peers` with the missing expected workers counted as able to work.
    ///
    /// A worker that calls itself unfit counts as missing, too: it may soon be fit. After
    /// `FarmLimits.suspendedSeconds` a missing worker is expected no more.
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
