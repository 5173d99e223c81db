// The clock of a coordinator. A time server or a person may set a wall clock back, and leases timed
// by it would then live too long.
import Foundation

/// A clock that never goes back: the wall clock's time at its start, plus the time that has passed
/// since.
///
/// Sleep of the machine counts as time.
package struct SteadyClock: Sendable {
    private let began: Int64
    private let start: ContinuousClock.Instant
    private let passing: @Sendable () -> ContinuousClock.Instant

    /// Makes a clock that starts at `wall`, in milliseconds since 1970, which is read only once.
    ///
    /// `passing` is a clock that cannot be set.
    package init(
        wall: () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1000) },
        passing: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        began = wall()
        start = passing()
        self.passing = passing
    }

    /// The time now, in milliseconds since 1970.
    package var now: Int64 {
        let passed = (passing() - start).components
        return began + passed.seconds * 1_000 + passed.attoseconds / 1_000_000_000_000_000
    }
}
