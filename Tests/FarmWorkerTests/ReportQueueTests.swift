import FarmCore
import Testing

@testable import FarmWorker

@Suite("Reports on their way")
struct ReportQueueTests {
    @Test(
        "a report leaves at once while tests run, soon when they have ended, and else with the end",
        arguments: [
            // waiting, seconds, tests ended, finished, due
            (0, 9.0, false, false, false), (1, 0.0, false, false, true),
            (1, 0.1, true, false, false), (1, 0.3, true, false, true), (0, 0.3, true, false, false),
            (1, 9.0, true, true, false), (500, 9.0, false, true, false),
            (501, 0.0, true, true, true),
        ]
    )
    func due(waiting: Int, seconds: Double, testsEnded: Bool, isFinished: Bool, due: Bool) {
        let isDue = ReportQueue.isDue(
            waiting: waiting,
            seconds: seconds,
            testsEnded: testsEnded,
            isFinished: isFinished
        )
        #expect(isDue == due)
    }

    @Test("a renewal says of every test without a report that it was started, and says it once")
    func starts() async throws {
        let queue = ReportQueue()
        let tests = (0..<4).map { TestID("t\($0)") }
        queue.started(tests[0])
        // The running test is sent separately, not as a start.
        #expect(queue.running == tests[0] && queue.startsToTell.isEmpty)
        queue.started(tests[1])
        queue.started(tests[2])
        #expect(Set(queue.startsToTell) == [tests[0], tests[1]])
        queue.startsReported([tests[0]])
        #expect(queue.startsToTell == [tests[1]])
        try await queue.add(TestReport(test: tests[1], ending: .passed, seconds: 1))
        #expect(queue.startsToTell.isEmpty)
        // A test that is reported at once needs no start.
        try await queue.add(TestReport(test: tests[2], ending: .passed, seconds: 1))
        queue.started(tests[3])
        #expect(queue.startsToTell.isEmpty)
    }

    @Test("what one renewal cannot say the next one does")
    func manyStarts() {
        let queue = ReportQueue()
        let max = FarmLimits.startsPerRenewalMax
        for number in 0...(max + 10) { queue.started(TestID("t\(number)")) }
        let first = queue.startsToTell
        #expect(first.count == max)
        queue.startsReported(first)
        #expect(queue.startsToTell.count == 10)
        #expect(Set(queue.startsToTell).isDisjoint(with: first))
    }
}
