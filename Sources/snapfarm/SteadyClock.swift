// The time of a coordinator. Clocks are set back, by a time server or by a person; leases timed by
// such a clock would live for as long again.
import Foundation

/// What the clock said when this was made, and the time that has passed since: it never goes back.
///
/// Sleep of the machine counts as time.
struct SteadyClock: Sendable {
    private let wall: Int64
    private let start: ContinuousClock.Instant

    init() {
        wall = Int64(Date().timeIntervalSince1970 * 1000)
        start = .now
    }

    /// Milliseconds since 1970.
    var now: Int64 {
        let passed = (ContinuousClock.now - start).components
        return wall + passed.seconds * 1_000 + passed.attoseconds / 1_000_000_000_000_000
    }
}
