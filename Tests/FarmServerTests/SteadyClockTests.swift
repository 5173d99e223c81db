import FarmServer
import Foundation
import Synchronization
import Testing

@Suite("The time of a coordinator")
struct SteadyClockTests {
    /// A clock that people can set, and a steady one.
    private final class Clocks: Sendable {
        let wall = Mutex<Int64>(1_700_000_000_000)
        let passed = Mutex<Duration>(.zero)
        let start = ContinuousClock.now
    }

    @Test("passes on as before when the clock is set back or forward while it runs")
    func setBack() {
        let clocks = Clocks()
        let steady = SteadyClock(
            wall: { clocks.wall.withLock { $0 } },
            passing: { clocks.start + clocks.passed.withLock { $0 } }
        )
        #expect(steady.now == 1_700_000_000_000)
        for (wall, seconds) in [(-1_000_000, 10), (0, 20), (9_000_000_000_000, 30)] {
            clocks.wall.withLock { $0 = Int64(wall) }
            clocks.passed.withLock { $0 = Duration.seconds(seconds) + .milliseconds(7) }
            #expect(steady.now == 1_700_000_000_007 + Int64(seconds) * 1_000)
        }
    }

    @Test("begins at what the clock says then")
    func begins() {
        let before = Int64(Date().timeIntervalSince1970 * 1000)
        #expect(SteadyClock().now >= before)
    }
}
