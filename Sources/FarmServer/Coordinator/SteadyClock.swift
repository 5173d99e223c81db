// The time of a coordinator. Clocks are set back, by a time server or by a person; leases timed by
// such a clock would live for as long again.
import Foundation

/// What the clock said when this was made, and the time that has passed since: it never goes back.
///
/// Sleep of the machine counts as time.
package struct SteadyClock: Sendable {
    private let began: Int64
    private let start: ContinuousClock.Instant
    private let passing: @Sendable () -> ContinuousClock.Instant

    /// Reads `wall`, in milliseconds since 1970, this once and never again; `passing` is a clock that
    /// nobody sets.
    package init(
        wall: () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1000) },
        passing: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        began = wall()
        start = passing()
        self.passing = passing
    }

    /// Milliseconds since 1970.
    package var now: Int64 {
        let passed = (passing() - start).components
        return began + passed.seconds * 1_000 + passed.attoseconds / 1_000_000_000_000_000
    }
}
