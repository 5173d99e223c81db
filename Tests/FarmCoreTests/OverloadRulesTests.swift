import FarmCore
import Testing

@Suite("What is seen on an overloaded host")
struct OverloadRulesTests {
    private func job(retries: Int) -> Job {
        Job(
            name: JobName("j"),
            kind: .unit,
            driver: .command(CommandSettings(discover: "d", run: "r")),
            retries: retries
        )
    }

    /// `passed`, `failed`, `crashed`, `late` or `lost`; a `!` after it: on an overloaded host.
    private func attempt(_ word: String) -> Attempt {
        let name = word.filter { $0 != "!" }
        let ending: TestEnding =
            switch name {
            case "passed": .passed
            case "failed": .failed("no")
            case "late": .errored(Problem(code: "test-timed-out", message: "late", remedy: ""))
            default: .errored(Problem(code: "test-crashed", message: "crashed", remedy: ""))
            }
        let load = HostLoad(waiting: word.hasSuffix("!") ? 0.97 : 0.86, source: .pressure)
        let report = TestReport(test: TestID("t"), ending: ending, seconds: 1, load: load)
        return Attempt(
            worker: WorkerID("w"),
            outcome: name == "lost" ? .workerLost : .reported(report)
        )
    }

    private func step(
        _ words: [String],
        retries: Int = 0,
        mode: RunMode = .verify,
        _ context: AttemptContext = AttemptContext()
    ) -> AttemptStep {
        AttemptRules.step(
            after: words.map { attempt($0) },
            job: job(retries: retries),
            mode: mode,
            context: context
        )
    }

    @Test(
        "the first failure there does not count yet, a late test's also without retries",
        arguments: [
            (["late!"], 0), (["failed!"], 1), (["failed!"], 2), (["failed", "failed!"], 1),
            (["lost", "late!"], 0), (["lost", "failed!"], 2),
        ]
    )
    func quietly(attempts: [String], retries: Int) {
        #expect(step(attempts, retries: retries) == .quietly)
        #expect(step(attempts, retries: retries, mode: .record) == .quietly)
    }

    @Test(
        "what no CPU would mend, a second time, and a third attempt stand",
        arguments: [
            ["failed"], ["late"], ["crashed!"], ["failed!"], ["late!", "late!"], ["late!", "late"],
            ["late!", "failed!"], ["late!", "lost", "late!"], ["lost", "lost", "late!"],
        ]
    )
    func stands(attempts: [String]) {
        guard case .final(let verdict, _) = step(attempts) else {
            Issue.record("\(attempts) runs again")
            return
        }
        #expect(verdict == .failed || verdict == .errored)
    }

    @Test("a pass on an overloaded host is a pass")
    func passes() { #expect(step(["passed!"]) == .final(.passed, note: "")) }

    @Test("what passes then is flaky, and the words name the load")
    func flaky() {
        guard case .final(.flaky, let note) = step(["failed!", "passed"], retries: 1) else {
            Issue.record("a pass after a failure must be flaky")
            return
        }
        #expect(
            note == "attempt 1 was failed on an overloaded host (work waited for a CPU in 97 % of "
                + "the busiest half second), attempt 2 passed."
        )
    }

    @Test("it runs again also where the retries of the run are used up")
    func budget() {
        #expect(step(["late!"], AttemptContext(mayRetry: false)) == .quietly)
    }

    @Test("it stands at once where the same change stands in another cell")
    func standsElsewhere() {
        let context = AttemptContext(standsElsewhere: true)
        #expect(step(["late!"], context) == .final(.errored, note: ""))
    }

    @Test("repetitions count as they are")
    func repetitions() {
        #expect(step(["failed!"], AttemptContext(repeats: 2)) == .repetition)
    }
}

@Suite("Which work a worker gets beside what must run quietly")
struct QuietRulesTests {
    private func cell(count: Int = 0, quiet: Int = 0) -> WaitingCell {
        WaitingCell(job: JobName("j"), cell: .host, count: count, alone: 0, quiet: quiet)
    }
    private func choice(_ company: LeaseCompany) -> ClaimChoice {
        ClaimChoice(job: JobName("j"), cell: .host, size: 1, company: company)
    }

    @Test("on a quiet host nothing else begins")
    func quietHost() {
        let host = HostState(leases: 1, isQuiet: true)
        for company in [LeaseCompany.others, .alone, .quiet] {
            let step = QuietRules.step(
                choice: choice(company),
                waiting: [cell(count: 1, quiet: 1)],
                host: host
            )
            #expect(step == .nothing)
        }
    }

    @Test("quiet work waits for its host, and other work does not")
    func waits() {
        let busy = HostState(leases: 1)
        let quiet = [cell(quiet: 1)]
        #expect(QuietRules.step(choice: choice(.quiet), waiting: quiet, host: busy) == .wait)
        #expect(
            QuietRules.step(choice: choice(.quiet), waiting: quiet, host: HostState())
                == .lease(choice(.quiet))
        )
        #expect(
            QuietRules.step(choice: choice(.others), waiting: [cell(count: 1)], host: busy)
                == .lease(choice(.others))
        )
        #expect(QuietRules.step(choice: nil, waiting: [], host: busy) == .nothing)
    }

    @Test("a host that is awaited works only for runs with quiet work")
    func awaited() {
        let host = HostState(leases: 1, isAwaited: true)
        let other = choice(.others)
        #expect(
            QuietRules.step(choice: other, waiting: [cell(count: 1)], host: host) == .nothing
        )
        #expect(
            QuietRules.step(choice: other, waiting: [cell(count: 1, quiet: 1)], host: host)
                == .lease(other)
        )
    }
}
