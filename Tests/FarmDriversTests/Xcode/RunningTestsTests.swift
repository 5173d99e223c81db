import FarmCore
import Testing

@testable import FarmDrivers

@Suite("How long tests have run")
struct RunningTestsTests {
    private let a = TestID("T/S/a()")
    private let b = TestID("T/S/b()")
    private let c = TestID("T/S/c()")

    @Test("the time of tests that started together begins when the last other one ended")
    func together() {
        let start = ContinuousClock.now
        func at(_ seconds: Int) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }
        var running = RunningTests()
        for test in [a, b, c] { running.start(test, at: start) }
        #expect(running.overdue(limitSeconds: 60, at: at(59)) == [])
        running.end(a, at: at(50))
        #expect(running.overdue(limitSeconds: 60, at: at(109)) == [])
        running.end(b, at: at(100))
        #expect(running.overdue(limitSeconds: 60, at: at(159)) == [])
        #expect(running.overdue(limitSeconds: 60, at: at(161)) == [c])
        #expect(running.tests == [c])
    }

    @Test("the time of a test that started alone begins with it")
    func alone() {
        let start = ContinuousClock.now
        var running = RunningTests()
        running.start(a, at: start)
        running.end(a, at: start.advanced(by: .seconds(5)))
        running.end(a, at: start.advanced(by: .seconds(90)))
        running.start(b, at: start.advanced(by: .seconds(10)))
        #expect(running.overdue(limitSeconds: 60, at: start.advanced(by: .seconds(71))) == [b])
        #expect(running.seconds(of: b, at: start.advanced(by: .seconds(12))) == 2)
    }
}
