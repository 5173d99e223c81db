// Tests of the rule that finds flaky tests in a history.
import FarmCore
import Testing

@Suite("which tests are flaky")
struct FlakyTestsTests {
    /// Returns a history from pairs of commit and verdict, newest first.
    private func history(_ results: [(commit: String, Verdict)], test: String = "t") -> TestVerdicts
    {
        TestVerdicts(
            job: JobName("j"),
            cell: CellID("c"),
            test: TestID(test),
            results: results.enumerated().map { index, result in
                TestVerdicts.Result(
                    run: RunID("r\(index)"),
                    commit: result.commit,
                    branch: "main",
                    started: "",
                    verdict: result.1,
                    attempts: []
                )
            }
        )
    }

    @Test(
        "attempts that disagree make it flaky, and so do two runs of one commit",
        arguments: [
            ([("a", .passed), ("b", .passed)], nil),
            ([("a", .failed), ("b", .passed)], nil),
            ([("a", .failed), ("a", .failed)], nil),
            // Without a commit it is unknown whether both runs are of the same commit.
            ([("", .failed), ("", .passed)], nil),
            ([("a", .new), ("a", .passed)], nil),
            ([("a", .flaky), ("b", .passed)], (1, 0, 1)),
            ([("a", .failed), ("b", .passed), ("a", .passed)], (0, 1, 2)),
            ([("a", .errored), ("a", .flaky), ("a", .passed)], (1, 1, 3)),
        ] as [([(String, Verdict)], (Int, Int, Int)?)]
    )
    func rule(results: [(String, Verdict)], expected: (Int, Int, Int)?) throws {
        let found = FlakyTest(history(results.map { (commit: $0.0, $0.1) }))
        guard let expected else { return #expect(found == nil) }
        let test = try #require(found)
        #expect(test.runs == results.count)
        #expect(test.flakyRuns == expected.0 && test.disputedCommits == expected.1)
        #expect(test.evidence.count == expected.2)
    }

    @Test("failures that a pass mended make it flaky when that happened again")
    func mended() throws {
        let once = [("c", Verdict.passed), ("b", .failed), ("a", .passed)]
        #expect(FlakyTest(history(once.map { (commit: $0.0, $0.1) })) == nil)
        let results: [Verdict] = [
            .failed, .passed, .failed, .failed, .passed, .errored, .passed, .failed,
        ]
        let test = try #require(
            FlakyTest(history(results.enumerated().map { (commit: "\($0)", $1) }))
        )
        // The newest failure is not mended yet.
        #expect(test.mendedFailures == 3 && test.times == 3 && test.flakyRuns == 0)
        #expect(test.evidence.map(\.run.text) == ["r2", "r3", "r5", "r7"])
    }

    @Test("the times and hosts are those of days without a fault of the farm")
    func faults() throws {
        var known = history((0..<4).map { ("\($0)", .flaky) })
        for index in known.results.indices {
            var note = AttemptNote(
                worker: WorkerID("w\(index)"),
                host: index < 2 ? "h" : nil,
                ending: "failed",
                message: "",
                load: nil
            )
            note.seconds = 2
            known.results[index].attempts = [note, note]
        }
        known.results[3].fault = "worker-lost"
        let test = try #require(FlakyTest(known))
        #expect(test.flakyRuns == 4 && test.times == 3)
        #expect(test.hosts == 2)
        #expect(test.evidence.map(\.retrySeconds) == [2, 2, 2, 2])
    }

    @Test("the flakiest come first, and evidence is limited")
    func order() throws {
        let many = history((0..<50).map { ("\($0)", Verdict.flaky) }, test: "many")
        let once = history([("a", .flaky)], test: "once")
        let found = FlakyTests(runs: 50, histories: [once, many, history([("a", .passed)])])
        #expect(found.tests.map(\.test.text) == ["many", "once"])
        #expect(found.tests.first?.evidence.count == FlakyTest.evidenceMax)
        #expect(found.tests.first?.evidence.first?.run == RunID("r0"))
    }

    @Test("however many passes are newer, what differed is kept as evidence")
    func wrongFirst() throws {
        let passes = (0..<30).map { _ in ("a", Verdict.passed) }
        let test = try #require(FlakyTest(history(passes + [("a", .changed)])))
        #expect(test.evidence.count == FlakyTest.evidenceMax)
        #expect(test.evidence.last?.verdict == .changed)
    }

    @Test("an attempt names the pictures that were not as expected")
    func pictures() throws {
        let captures = [
            try EvidenceBuilder.capture("a"), try EvidenceBuilder.capture("b", "x"),
            try EvidenceBuilder.capture("c", "x", reference: nil),
        ]
        let report = TestReport(
            test: TestID("t"),
            ending: .passed,
            seconds: 1,
            pictures: PictureReports(captures: captures)
        )
        let note = AttemptNote(Attempt(worker: WorkerID("w"), outcome: .reported(report)))
        #expect(note.pictures?.map(\.snapshot) == ["c/S/b"])
        #expect(note.pictures?.first?.words == "1 of 4 pixels (25.00 %) differs, largest delta 7")
    }

    @Test("an attempt is told by its ending, its worker and the first of its words")
    func notes() {
        func note(_ ending: TestEnding) -> AttemptNote {
            AttemptNote(
                Attempt(
                    worker: WorkerID("w"),
                    outcome: .reported(TestReport(test: TestID("t"), ending: ending, seconds: 1))
                )
            )
        }
        #expect(note(.passed).ending == "passed" && note(.passed).message == "")
        #expect(note(.failed("1 ≠ 2")).message == "1 ≠ 2")
        #expect(
            note(.failed(String(repeating: "e\u{301}", count: 5_000))).message.unicodeScalars
                .count == 300
        )
        let lost = AttemptNote(Attempt(worker: WorkerID("w"), outcome: .workerLost))
        #expect(lost.ending == "lost")
    }
}
