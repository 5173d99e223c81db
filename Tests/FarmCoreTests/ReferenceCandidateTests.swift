// Tests of I7 as a table: whether a picture may become a reference, by a record or an approval, for
// every driver's way to report failures, every judge and every mode.
import FarmCore
import FarmPipeline
import Foundation
import Testing

/// A driver's way to report failures.
private enum Teller: CaseIterable, Sendable {
    /// A process for each test: everything it printed.
    case command
    /// A results file: a message, with a trace.
    case results
    /// XCTest's console: a line, and the output after it.
    case xctest
    /// Swift Testing's events: the text of an issue, and the lines after it.
    case swiftTesting

    func result(_ texts: [String]) -> TestResult {
        let text = texts.joined(separator: "\n")
        let failures: [TestFailure] =
            switch self {
            case .command: [TestFailure(text)]
            case .results: texts.map { TestFailure($0, detail: "CartTests.swift:12\n\($0)") }
            case .xctest: texts.map { TestFailure($0, detail: "a line that the test prints") }
            case .swiftTesting: texts.map { TestFailure($0, detail: "open \"file:///a.png\"") }
            }
        return TestResult(
            test: TestID("t"),
            ending: .failed(text),
            seconds: 1,
            failures: failures
        )
    }
}

@Suite("Whose picture may become a reference")
struct ReferenceCandidateTests {
    private static let situations: [(Judge, RunMode)] = [
        (.farm, .verify), (.farm, .record), (.framework, .verify), (.framework, .record),
    ]

    /// Returns the framework's message about the picture, in a record or in a comparison.
    private static func words(_ judge: Judge, _ mode: RunMode) -> String {
        judge == .farm || mode == .record
            ? "failed - Record mode is on. Automatically recorded snapshot: …"
            : "failed - Snapshot does not match reference."
    }

    private func job(_ judge: Judge, retries: Int = 1) -> Job {
        Job(
            name: JobName("snap"),
            kind: .snapshot,
            driver: DriverSettings("command", ["discover": "d", "run": "r"]),
            judge: judge,
            retries: retries,
            cells: [Cell(id: CellID("c"), device: nil, variant: [])]
        )
    }

    /// Returns the report of a test whose picture differs from its reference.
    private func report(
        _ result: TestResult,
        _ job: Job,
        _ mode: RunMode,
        picture: String = "other"
    ) throws -> TestReport {
        var pictures = PictureReports()
        let capture = try EvidenceBuilder.capture("a", picture)
        if job.records(in: mode) {
            pictures.captures = [capture]
        } else {
            pictures.differences = [
                DifferenceReport(
                    id: capture.capture.id,
                    reference: Digest(of: Data("same".utf8)),
                    failed: capture.capture.digest,
                    diff: nil,
                    comparison: capture.comparison
                )
            ]
        }
        return TestReport(
            test: result.test,
            ending: result.ending(in: job, mode: mode),
            seconds: 1,
            pictures: pictures
        )
    }

    /// Returns the names of the pictures that a record of these reports writes or an approval
    /// accepts.
    ///
    /// Each report is one attempt; the last one is repeated until the verdict is final.
    private func candidates(_ reports: [TestReport], _ job: Job, _ mode: RunMode) throws -> [String]
    {
        var attempts: [Attempt] = []
        var builder = EvidenceBuilder(mode: mode)
        builder.job = job
        for number in 0..<FarmLimits.attemptsMax {
            let report = reports[min(number, reports.count - 1)]
            attempts.append(Attempt(worker: WorkerID("w"), outcome: .reported(report)))
            let step = AttemptRules.step(after: attempts, job: job, mode: mode)
            guard case .final(let verdict, let note) = step else { continue }
            let key = TestKey(job: job.name, cell: CellID("c"), test: TestID("t"))
            builder.tests = [
                TestEvidence(key: key, verdict: verdict, note: note, attempts: attempts)
            ]
            break
        }
        try #require(builder.tests.count == 1)
        let evidence = builder.evidence
        guard mode == .verify else {
            return RecordRules.recordings(of: evidence).flatMap { $0.pictures.keys.map(\.name) }
        }
        let summary = RunJudge.judge(evidence).summary
        let pictures = try summary.snapshots.map { snapshot in
            ReviewPicture(
                id: try #require(SnapshotID(exactly: snapshot.id)),
                job: JobName(snapshot.job),
                test: TestID(snapshot.test),
                verdict: snapshot.verdict,
                testVerdict: summary.tests.first?.verdict,
                capture: Digest(snapshot.capture)
            )
        }
        return ApprovalRules.choose(pictures, ApprovalOptions()).accepted.map(\.id.name)
    }

    @Test("a picture that its framework recorded, or found to differ, and nothing else: it may")
    func only() throws {
        for (judge, mode) in Self.situations {
            let job = job(judge)
            for teller in Teller.allCases {
                let report = try report(teller.result([Self.words(judge, mode)]), job, mode)
                let names = try candidates([report], job, mode)
                #expect(names == ["a"], "\(judge), \(mode), \(teller)")
            }
        }
    }

    @Test(
        "a failure of the test's own beside it, in whatever words and order: it may not",
        arguments: [
            "XCTAssertTrue failed", "XCTUnwrap failed: expected non-nil value of type \"Int\"",
            "threw error \"E()\"", "failed - the cart is empty", "Expectation failed: 1 == 2",
            "Caught error: E()", "assert 1 == 2", "the cart is empty",
        ]
    )
    func beside(own: String) throws {
        for (judge, mode) in Self.situations {
            let words = Self.words(judge, mode)
            for retries in 0...2 {
                let job = job(judge, retries: retries)
                for teller in Teller.allCases {
                    for texts in [[words, own], [own, words], [own]] {
                        let report = try report(teller.result(texts), job, mode)
                        let names = try candidates([report], job, mode)
                        #expect(names.isEmpty, "\(judge), \(mode), \(teller): \(texts)")
                    }
                }
            }
        }
    }

    @Test("a test that did not come to its end, or whose words are another mode's: it may not")
    func errored() throws {
        let crash = Problem(code: "test-crashed", message: "signal 11.", remedy: "Look.")
        let crashed = TestResult(test: TestID("t"), ending: .errored(crash), seconds: 1)
        for (judge, mode) in Self.situations {
            let job = job(judge)
            #expect(try candidates([report(crashed, job, mode)], job, mode).isEmpty)
            let others =
                job.records(in: mode)
                ? Self.words(.framework, .verify) : Self.words(.farm, .verify)
            for teller in Teller.allCases {
                let report = try report(teller.result([others]), job, mode)
                #expect(try candidates([report], job, mode).isEmpty, "\(judge), \(mode)")
            }
        }
    }

    @Test("a picture that is another one in each attempt: it may not")
    func unstable() throws {
        for (judge, mode) in Self.situations {
            let job = job(judge)
            for teller in Teller.allCases {
                let result = teller.result([Self.words(judge, mode)])
                let takes = try ["x", "y", "z"].map {
                    try report(result, job, mode, picture: $0)
                }
                #expect(try candidates(takes, job, mode).isEmpty, "\(judge), \(mode), \(teller)")
            }
        }
    }
}
