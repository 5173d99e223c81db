import FarmCore
import Testing

@Suite("What runs again")
struct RetryRulesTests {
    private func job(retries: Int) -> Job {
        Job(
            name: JobName("j"),
            kind: .unit,
            driver: DriverSettings("command", ["discover": "d", "run": "r"]),
            retries: retries
        )
    }
    private func attempt(_ word: String, on worker: String = "w") -> Attempt {
        let report = TestReport(
            test: TestID("t"),
            ending: word == "passed" ? .passed : .failed("no"),
            seconds: 1
        )
        return Attempt(
            worker: WorkerID(worker),
            outcome: word == "lost" ? .workerLost : .reported(report)
        )
    }
    private func step(
        _ words: [String],
        retries: Int = 0,
        _ context: AttemptContext = AttemptContext()
    ) -> AttemptStep {
        AttemptRules.step(
            after: words.map { attempt($0) },
            job: job(retries: retries),
            mode: .verify,
            context: context
        )
    }

    @Test(
        "the last attempt of a test that lost a worker runs alone",
        arguments: [
            (["lost"], 0, false), (["lost", "lost"], 0, true), (["failed", "lost"], 2, true),
            (["lost", "failed"], 2, true), (["failed", "failed"], 2, false),
        ]
    )
    func alone(attempts: [String], retries: Int, alone: Bool) {
        #expect(step(attempts, retries: retries) == .again(alone: alone))
    }

    @Test(
        "nothing gets a fourth attempt",
        arguments: [
            ["lost", "lost", "lost"], ["failed", "lost", "lost"], ["failed", "failed", "lost"],
            ["lost", "failed", "failed"],
        ]
    )
    func three(attempts: [String]) {
        for asks in [false, true] {
            guard
                case .final(let verdict, _) = step(
                    attempts,
                    retries: 2,
                    AttemptContext(asksAnother: asks)
                )
            else {
                Issue.record("a fourth attempt")
                continue
            }
            #expect(verdict == .errored || verdict == .failed)
        }
    }

    @Test("without retries a failure stands, unless another worker is to say the same")
    func secondOpinion() {
        let asks = AttemptContext(asksAnother: true)
        #expect(step(["failed"]) == .final(.failed, note: ""))
        #expect(step(["failed"], asks) == .again(alone: false))
        let both = [attempt("failed", on: "a"), attempt("failed", on: "b")]
        let after = AttemptRules.step(
            after: both,
            job: job(retries: 0),
            mode: .verify,
            context: asks
        )
        #expect(after == .final(.failed, note: ""))
        guard case .final(.flaky, _) = step(["failed", "passed"]) else {
            Issue.record("what another worker passes is flaky")
            return
        }
    }

    @Test("a worker lost while a test is repeated is no repetition")
    func repetitions() {
        let twice = AttemptContext(repeats: 2)
        #expect(step(["passed"], twice) == .repetition)
        #expect(step(["passed", "lost"], twice) == .again(alone: false))
        #expect(step(["passed", "lost", "passed"], twice) == .final(.passed, note: ""))
        #expect(step(["failed", "failed"], retries: 2, twice) == .final(.failed, note: ""))
        #expect(
            step(["failed", "passed"], twice)
                == .final(.flaky, note: "passed 1 of 2 times, the others: failed.")
        )
        guard case .final(.errored, _) = step(["passed", "lost", "lost", "lost"], twice) else {
            Issue.record("three lost workers end it")
            return
        }
    }
}
