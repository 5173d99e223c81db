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
}
