import FarmCore
import Testing

@testable import FarmLedger

@Suite("What a lease takes to start")
struct LeaseStartTests {
    private static let guess = LeaseStart(warm: 15, cold: 45)

    @Test("a guess counts in whole microseconds, and never less than nothing")
    func guesses() {
        #expect(
            LeaseStart(StartGuess(warmSeconds: 15, coldSeconds: 45))
                == LeaseStart(warm: 15_000_000, cold: 45_000_000)
        )
        #expect(LeaseStart(StartGuess(warmSeconds: -1, coldSeconds: .nan)) == LeaseStart.none)
    }

    @Test("a worker that comes from elsewhere never starts sooner than one that is warm")
    func order() { #expect(LeaseStart(warm: 7, cold: 3) == LeaseStart(warm: 7, cold: 7)) }

    /// Starts by earlier runs, starts measured by leases of this run, and the expected result.
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
            guess: nil
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
