// The launches of a worker whose programs do not report when their first test starts.
import FarmCore
import Synchronization

/// The launches of a worker on its last cell, from lease to lease.
final class LaunchMeter: Sendable {
    private let fit = Mutex(StartupTimeFit())

    /// Notes a launch, and returns the seconds that a launch of its cell takes before the first
    /// test.
    func start(of cell: CellKey, tests: Int, seconds: Double) -> Double {
        fit.withLock { $0.start(of: cell, tests: tests, seconds: seconds) }
    }
}
