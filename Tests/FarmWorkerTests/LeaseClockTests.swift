import FarmCore
import Testing

@testable import FarmWorker

@Suite("How long a lease is its worker's own")
struct LeaseClockTests {
    @Test("the answer of an earlier renewal that comes late takes no time away")
    func overtaken() {
        let claimed = ContinuousClock.now
        let clock = LeaseClock(timing: .usual, claimSent: claimed)
        let renewal = Duration.seconds(FarmLimits.renewalSeconds)
        #expect(clock.renewalDue == claimed + renewal)
        clock.renewed(sent: claimed + .seconds(7))
        clock.renewed(sent: claimed + .seconds(5))
        #expect(clock.renewalDue == claimed + .seconds(7) + renewal)
    }
}
