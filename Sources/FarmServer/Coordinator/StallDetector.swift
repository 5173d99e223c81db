// Detects that the coordinator itself stood still (a laptop that slept, a machine that was moved, a
// disk that hung). It received no calls meanwhile, so the silence of workers proves nothing.
import FarmCore

/// Detects that a coordinator stood still, so that the silence of its workers proves nothing.
package struct StallDetector: Sendable {
    /// The time of the last look for expired leases, in milliseconds since 1970, or `nil` before
    /// the first.
    private var last: Int64?
    private var hadPause = false

    init() {}

    /// Notes that the coordinator looks for expired leases at `now`, and returns whether it stood
    /// still since its last look.
    ///
    /// Never returns true twice in a row: even if the coordinator is always late, leases of lost
    /// workers must count attempts.
    package mutating func isPause(before now: Int64) -> Bool {
        let milliseconds = last.map { now - $0 } ?? 0
        last = now
        let isLate = milliseconds >= Int64(FarmLimits.pauseSeconds * 1000)
        defer { hadPause = isLate }
        return isLate && !hadPause
    }
}
