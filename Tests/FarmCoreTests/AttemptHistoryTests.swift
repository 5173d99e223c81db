import FarmCore
import Foundation
import Testing

@Suite("The attempts of a test in the summary")
struct AttemptHistoryTests {
    private static func report(_ ending: TestEnding) -> TestReport {
        TestReport(test: TestID("a"), ending: ending, seconds: 1.5, startedAt: 1_000)
    }

    private static func rows(_ attempts: [Attempt], _ verdict: Verdict?) -> [TestSummary] {
        var builder = EvidenceBuilder()
        builder.add("a", [], verdict: .passed)
        let plan = builder.evidence.plan
        var test = builder.evidence.tests[0]
        test.attempts = attempts
        test.verdict = verdict
        return RunJudge.rows(
            of: [test],
            plan: plan,
            raised: [:],
            startedAt: 0,
            logs: [7: "logs/j/A-1.log"],
            red: nil
        )
    }

    @Test("each attempt says what it alone found, and names the log of its own lease")
    func told() throws {
        let lost = Attempt(worker: WorkerID("w1"), outcome: .workerLost, lease: 6)
        let failed = Attempt(
            worker: WorkerID("w2"),
            outcome: .reported(Self.report(.failed("no"))),
            lease: 7
        )
        let passed = Attempt(worker: WorkerID("w3"), outcome: .reported(Self.report(.passed)))
        let history = try #require(Self.rows([lost, failed, passed], .flaky)[0].history)
        #expect(history.map(\.verdict) == [nil, .failed, .passed])
        #expect(history.map(\.worker) == ["w1", "w2", "w3"])
        #expect(history.map(\.log) == ["", "logs/j/A-1.log", ""])
        #expect(history[1].message == "no" && history[2].message.isEmpty)
    }

    @Test("a test that passed at once, and one that never ran, have none")
    func none() {
        let passed = Attempt(worker: WorkerID("w"), outcome: .reported(Self.report(.passed)))
        #expect(Self.rows([passed], .passed)[0].history == nil)
        #expect(Self.rows([], nil)[0].history == nil)
    }
}
