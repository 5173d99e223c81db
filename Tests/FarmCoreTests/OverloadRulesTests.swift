import FarmCore
import Testing

@Suite("What is seen on an overloaded host")
struct OverloadRulesTests {
    private func job(retries: Int) -> Job {
        Job(
            name: JobName("j"),
            kind: .unit,
            driver: DriverSettings("command", ["discover": "d", "run": "r"]),
            retries: retries
        )
    }

    /// Returns an attempt: `passed`, `failed`, `crashed`, `late` or `lost`.
    ///
    /// A final `!` means an overloaded host.
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
        #expect(step(attempts, retries: retries) == .isolated)
        #expect(step(attempts, retries: retries, mode: .record) == .isolated)
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
        #expect(step(["late!"], AttemptContext(mayRetry: false)) == .isolated)
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

@Suite("Pictures that are seen on an overloaded host")
struct OverloadedPicturesTests {
    private func job(retries: Int, judge: Judge = .farm) -> Job {
        Job(
            name: JobName("j"),
            kind: .snapshot,
            driver: DriverSettings("command", ["discover": "d", "run": "r"]),
            judge: judge,
            retries: retries
        )
    }

    /// Returns an attempt with a picture, and with the ending of its test before the name: `x`,
    /// `failed x`, `crashed x`, `late x`.
    ///
    /// `same` equals its reference, `new` has none. A final `!` means an overloaded host.
    private func attempt(_ words: String, judge: Judge) throws -> Attempt {
        let names = words.filter { $0 != "!" }.split(separator: " ").map(String.init)
        let isOverloaded = words.hasSuffix("!")
        let how = names.count > 1 ? names[0] : ""
        let picture = names.last ?? ""
        var pictures = PictureReports()
        let capture = try EvidenceBuilder.capture(
            "a",
            picture,
            reference: picture == "new" ? nil : "same"
        )
        if judge == .farm {
            pictures.captures = [capture]
        } else {
            pictures.differences = [
                DifferenceReport(
                    id: capture.capture.id,
                    reference: nil,
                    failed: capture.capture.digest,
                    diff: nil,
                    comparison: capture.comparison
                )
            ]
        }
        let ending: TestEnding =
            switch how {
            case "failed": .failed("no")
            case "late": .errored(Problem(code: "test-timed-out", message: "late", remedy: ""))
            case "crashed": .errored(Problem(code: "test-crashed", message: "signal", remedy: ""))
            default: judge == .farm ? .passed : .changed("Snapshot does not match reference.")
            }
        let report = TestReport(
            test: TestID("t"),
            ending: ending,
            seconds: 1,
            pictures: pictures,
            load: HostLoad(waiting: isOverloaded ? 0.97 : 0.5, source: .pressure)
        )
        return Attempt(worker: WorkerID("w"), outcome: .reported(report))
    }

    private func step(
        _ words: [String],
        retries: Int,
        judge: Judge = .farm,
        _ context: AttemptContext = AttemptContext()
    ) throws -> AttemptStep {
        AttemptRules.step(
            after: try words.map { try attempt($0, judge: judge) },
            job: job(retries: retries, judge: judge),
            mode: .verify,
            context: context
        )
    }

    @Test("one that changed runs once more quietly, with and without retries", arguments: 0...2)
    func first(retries: Int) throws {
        #expect(try step(["x!"], retries: retries) == .isolated)
        #expect(try step(["x!"], retries: retries, judge: .framework) == .isolated)
        #expect(try step(["x!"], retries: retries, AttemptContext(mayRetry: false)) == .isolated)
    }

    @Test(
        "the same picture again counts at once, wherever it was seen",
        arguments: [["x!", "x"], ["x!", "x!"], ["x", "x!"], ["x!", "y", "x!"]]
    )
    func again(attempts: [String]) throws {
        for judge in [Judge.farm, .framework] {
            let step = try step(attempts, retries: 2, judge: judge)
            #expect(step == .final(.changed, note: ""), "\(judge)")
        }
    }

    @Test("another picture is not the same again")
    func another() throws {
        #expect(try step(["x", "y!"], retries: 2) == .isolated)
        #expect(try step(["x!", "y!"], retries: 2) == .again(alone: false))
        guard case .final(.changed, _) = try step(["x!", "y"], retries: 0) else {
            Issue.record("the second look stands")
            return
        }
        guard case .final(.flaky, let note) = try step(["x!", "same"], retries: 0) else {
            Issue.record("a pass after a change is flaky")
            return
        }
        #expect(note.hasPrefix("attempt 1 was changed on an overloaded host ("))
    }

    @Test("the same change on a host that was not overloaded, in another cell, counts at once")
    func elsewhere() throws {
        let context = AttemptContext(standsElsewhere: true)
        #expect(try step(["x!"], retries: 2, context) == .final(.changed, note: ""))
        #expect(
            try step(["x!"], retries: 0, judge: .framework, context) == .final(.changed, note: "")
        )
    }

    @Test(
        "without retries an assertion or a crash counts at once, a picture or a time limit does not",
        arguments: [
            ("failed same!", .final(.failed, note: "")), ("failed x!", .final(.failed, note: "")),
            ("crashed same!", .final(.errored, note: "")),
            ("crashed x!", .final(.errored, note: "")), ("x!", .isolated),
            ("late same!", .isolated), ("late x!", .isolated),
        ] as [(String, AttemptStep)]
    )
    func withoutRetries(attempt: String, expected: AttemptStep) throws {
        #expect(try step([attempt], retries: 0) == expected)
    }

    @Test("with retries an assertion waits for a quiet host, too, and a crash for none")
    func withRetries() throws {
        #expect(try step(["failed x!"], retries: 1) == .isolated)
        #expect(try step(["crashed x!"], retries: 1) == .again(alone: false))
    }

    @Test("a picture without a reference counts at once: no CPU gives it one")
    func new() throws {
        #expect(try step(["new!"], retries: 2) == .final(.new, note: ""))
    }
}
