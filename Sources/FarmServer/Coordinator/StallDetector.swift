// A coordinator that stood still itself (a laptop that slept, a machine that was moved, a disk that
// hung) has heard of nobody meanwhile, and that says nothing of them.
import FarmCore

/// Tells the silence of workers from a coordinator's own.
package struct StallDetector: Sendable {
    /// Milliseconds since 1970.
    private var last: Int64?
    private var hadPause = false

    init() {}

    /// Notes a look for expired leases; true where it comes so late that the coordinator stood
    /// still since the last.
    ///
    /// Never twice in a row: of a coordinator that is always late, lost workers count attempts.
    package mutating func isPause(before now: Int64) -> Bool {
        let milliseconds = last.map { now - $0 } ?? 0
        last = now
        let isLate = milliseconds >= Int64(FarmLimits.pauseSeconds * 1000)
        defer { hadPause = isLate }
        return isLate && !hadPause
    }
}
