import FarmCore
import Testing

@testable import FarmLedger

@Suite("What a lease takes to start")
struct LeaseStartTests {
    private static let guess = LeaseStart(warm: 15, cold: 45)

    @Test("only of xcodebuild a launch is guessed: 15 s, and 30 s more for the simulator")
    func guesses() {
        let guess = LeaseStart.guess(driver: "xcodebuild")
        #expect(guess == LeaseStart(warm: 15_000_000, cold: 45_000_000))
        #expect(LeaseStart.guess(driver: "command") == nil)
        for driver in ["swiftpm", "webdriver"] {
            #expect(LeaseStart.guess(driver: driver) == LeaseStart(warm: 0, cold: 0))
        }
    }

    @Test("a worker that comes from elsewhere never starts sooner than one that is warm")
    func order() { #expect(LeaseStart(warm: 7, cold: 3) == LeaseStart(warm: 7, cold: 7)) }

    /// Starts by earlier runs, those of this run's leases, and what follows.
    private static let cases: [(start: Int, launch: Int, measured: [MeasuredStart], LeaseStart)] = [
        (0, 0, [], guess),
        (50, 10, [warm(7), cold(70)], LeaseStart(warm: 10, cold: 50)),
        (50, 0, [], LeaseStart(warm: 15, cold: 50)),
        (12, 0, [], LeaseStart(warm: 12, cold: 12)),
        (0, 0, [warm(6), warm(8)], LeaseStart(warm: 7, cold: 37)),
        (0, 0, [cold(60), cold(80)], LeaseStart(warm: 15, cold: 70)),
        (0, 0, [cold(9)], LeaseStart(warm: 9, cold: 9)),
        (0, 0, [warm(6), cold(20)], LeaseStart(warm: 6, cold: 20)),
    ]

    private static func warm(_ microseconds: Int) -> MeasuredStart {
        MeasuredStart(seconds: Double(microseconds) / 1_000_000, isWarm: true)
    }

    private static func cold(_ microseconds: Int) -> MeasuredStart {
        MeasuredStart(seconds: Double(microseconds) / 1_000_000, isWarm: false)
    }

    @Test("without a guess a launch takes what the first one took")
    func bootless() {
        let first = MeasuredStarts(Self.cold(4_000_000))
        let found = LeaseStart.expected(
            start: 0,
            launch: 0,
            measured: first,
            guess: LeaseStart.guess(driver: "command")
        )
        #expect(found == LeaseStart(warm: 4_000_000, cold: 4_000_000))
    }

    @Test("earlier runs know it better than this run, and this run better than a guess")
    func expected() {
        for (start, launch, measured, expected) in Self.cases {
            let all = measured.reduce(MeasuredStarts()) { $0 + MeasuredStarts($1) }
            let found = LeaseStart.expected(
                start: start,
                launch: launch,
                measured: all,
                guess: Self.guess
            )
            #expect(found == expected, "\(start) \(launch) \(measured)")
        }
    }
}
