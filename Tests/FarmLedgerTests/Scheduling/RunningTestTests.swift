import FarmCore
import Testing

@testable import FarmLedger

@Suite("Which tests straggle")
struct RunningTestTests {
    private func straggles(_ seconds: Double, learned: Double? = nil, mean: Double? = nil) -> Bool {
        RunningTest(seconds: seconds, learnedSeconds: learned, meanSeconds: mean).straggles
    }

    @Test(
        "a test straggles at three times what it should take, and not within seconds",
        arguments: [(5.0, 0.2, false), (5.5, 0.2, true), (30, 10, false), (31, 10, true)]
    )
    func learned(seconds: Double, learned: Double, expected: Bool) {
        #expect(straggles(seconds, learned: learned) == expected)
        // The test's cost in earlier runs counts more than its job's average in this run.
        #expect(straggles(seconds, learned: learned, mean: 0.001) == expected)
    }

    @Test(
        "where only an average is known, the first test on a device has time to boot it",
        arguments: [(19.0, 0.1, false), (21, 0.1, true), (59, 20, false), (61, 20, true)]
    )
    func unlearned(seconds: Double, mean: Double, expected: Bool) {
        #expect(straggles(seconds, mean: mean) == expected)
    }

    @Test(
        "the rest of a lease stays with it where another launch would take longer than the rest",
        arguments: [(0.0, false), (14, false), (15, true)]
    )
    func launches(rest: Double, expected: Bool) {
        let test = RunningTest(
            seconds: 60,
            learnedSeconds: 1,
            meanSeconds: nil,
            start: LeaseStart(StartGuess(warmSeconds: 15, coldSeconds: 45)),
            restSeconds: rest
        )
        #expect(test.straggles == expected)
    }

    @Test("where a launch costs nothing, also what takes no time is taken")
    func freeLaunch() {
        let test = RunningTest(seconds: 60, learnedSeconds: 0, meanSeconds: nil, restSeconds: 0)
        #expect(test.straggles)
    }

    @Test("before its first report a lease has time to boot and launch", arguments: [true, false])
    func boots(isFirst: Bool) {
        let test = RunningTest(
            seconds: 60,
            learnedSeconds: nil,
            meanSeconds: 2,
            start: LeaseStart(StartGuess(warmSeconds: 15, coldSeconds: 45)),
            isFirst: isFirst
        )
        #expect(test.straggles != isFirst)
    }

    @Test("where nothing is known, nothing straggles")
    func unknown() { #expect(!straggles(1_000_000)) }
}
