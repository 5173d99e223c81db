// One run with everything in it: every verdict, a flaky and a skipped test, a test without a
// verdict, a picture without a known test, problems, and hostile names for every format.
import FarmCore

enum Fixture {
    static let hostile = "<script>alert(1)</script> ]]> \"'&|`*_@team\u{301}"
    static let quoteWithMark = "\"\u{301} onerror=alert(1) x="
    static let japanese = "ログイン画面🎉"
    static let light = "iPhone-8_13.1_light_ja"
    static let dark = "iPad-Pro-11-inch_13.1_dark_en"

    static func summary() -> RunSummary {
        let tests = tests().sorted { ($0.job, $0.cell, $0.test) < ($1.job, $1.cell, $1.test) }
        let snapshots = snapshots().sorted { $0.id < $1.id }
        var comparisons = ComparisonCounts()
        comparisons.total = 6
        comparisons.identicalByDigest = 3
        comparisons.decoded = 3
        comparisons.differing = 2
        var summary = RunSummary(
            run: run(),
            state: .incomplete,
            exitCode: 2,
            counts: counts(tests),
            comparisons: comparisons,
            cells: cells(tests),
            tests: tests,
            snapshots: snapshots,
            artifacts: [
                ArtifactSummary(
                    name: "FailureDiffs.zip",
                    bytes: 4_096,
                    sha256: String(repeating: "c", count: 64)
                )
            ],
            problems: problems()
        )
        summary.changes = RunChanges.of(summary)
        return summary
    }

    private static func run() -> RunFacts {
        RunFacts(
            id: "r-1",
            key: "circleci:42",
            pipeline: "wallet <b>",
            mode: .verify,
            filtered: true,
            commit: String(repeating: "a", count: 40),
            branch: "feature/\(hostile)",
            pullRequest: "412",
            set: String(repeating: "d", count: 40),
            planDigest: "sha256:" + String(repeating: "e", count: 64),
            started: "2026-11-21T03:00:00.000Z",
            finished: "2026-11-21T03:01:12.480Z",
            page: "https://ci.example/builds/42"
        )
    }

    private static func problems() -> [Problem] {
        [
            Problem(
                code: "worker-died",
                message: "worker-2 ended without a word <i>.",
                remedy: "Read logs/worker-2.log; then run again with `--resume`."
            ),
            Problem(
                code: "verdicts-missing",
                message: "1 test case got no verdict.",
                remedy: "Run again."
            ),
        ]
    }

    private static func tests() -> [TestSummary] {
        func test(
            _ id: String,
            _ cell: String,
            _ verdict: Verdict?,
            message: String = "",
            output: String = "",
            attempts: Int = 1,
            skipped: Bool = false,
            at start: Double = 0
        ) -> TestSummary {
            TestSummary(
                job: cell == "host" ? "unit_test" : "snapshot_test",
                cell: cell,
                test: id,
                verdict: verdict,
                attempts: attempts,
                seconds: 0.25 + start / 100,
                message: message,
                skipped: skipped,
                output: output,
                worker: verdict == nil ? "" : start < 3 ? "worker-2" : "worker-10",
                startedAt: start
            )
        }
        return [
            test("App/LoginTests/testLogin", light, .passed, at: 0.1),
            test("App/LoginTests/testLogin", dark, .changed, at: 1),
            test("App/LoginTests/testNew", light, .new, at: 1.5),
            test("App/LoginTests/testMoved", light, .moved, at: 2),
            test("App/LoginTests/testMissing", light, .missing, at: 2.5),
            test("App/MoneyTests/testUnreached", light, .unreached, message: "stopped early."),
            test(
                "App/MoneyTests/\(hostile)",
                light,
                .failed,
                message: "XCTAssertEqual failed: \(hostile)",
                output: "\u{1B}[31mred\u{1B}[0m\u{0}\u{8}\r\n[[ATTACHMENT|/etc/passwd]]\n```\n]]>",
                at: 3
            ),
            test(
                "App/MoneyTests/testFlaky",
                light,
                .flaky,
                message: "attempt 1 differed.",
                attempts: 2,
                at: 3.5
            ),
            test("App/MoneyTests/testLost", light, nil),
            test("App/MoneyTests/testSkipped", light, .passed, message: "no camera", skipped: true),
            test(
                "rates",
                "host",
                .errored,
                message: "the process ended with signal 11 (segmentation fault).",
                attempts: 3,
                at: 4
            ),
        ]
    }

    private static func snapshots() -> [SnapshotSummary] {
        [
            picture("Login", "login_ja", cell: light, .passed, test: "App/LoginTests/testLogin"),
            picture("Login", "login_en", cell: dark, .changed, test: "App/LoginTests/testLogin"),
            picture("Login", japanese, cell: light, .new, test: "App/LoginTests/testNew"),
            picture("Login", "moved", cell: light, .moved, test: "App/LoginTests/testMoved"),
            picture("Login", "gone", cell: light, .missing, test: "App/LoginTests/testMissing"),
            picture(
                "Money",
                "later",
                cell: light,
                .unreached,
                test: "App/MoneyTests/testUnreached"
            ),
            picture(hostile, quoteWithMark, cell: light, .changed, test: ""),
        ]
    }

    private static func picture(
        _ suite: String,
        _ name: String,
        cell: String,
        _ verdict: Verdict,
        test: String
    ) -> SnapshotSummary {
        let changed = verdict == .changed
        let folder = "FailureDiffs/snapshot_test/\(cell)/\(suite.filter { $0 != "/" })"
        var files: [String: String] = [:]
        if verdict != .new, verdict != .passed {
            files["reference"] = "\(folder)/reference_\(name).png"
        }
        if changed {
            files["failed"] = "\(folder)/failed_\(name).png"
            files["diff"] = "\(folder)/diff_\(name).png"
        }
        let made = verdict != .missing && verdict != .unreached
        if made { files["capture"] = "captures/\(cell)/\(name).png" }
        return SnapshotSummary(
            id: "\(cell)/\(suite)/\(name)",
            job: "snapshot_test",
            cell: cell,
            suite: suite,
            name: name,
            identifier: name.hasPrefix("login") ? "login" : "",
            test: test,
            verdict: verdict,
            reference: verdict == .new ? "" : String(repeating: "1", count: 40),
            capture: made ? "sha256:" + String(repeating: "2", count: 64) : "",
            width: made ? 750 : 0,
            height: made ? 1_334 : 0,
            differingPixels: changed ? 2_184 : 0,
            share: changed ? 0.1 + 0.2 : 0,
            largestDelta: changed ? 208 : 0,
            clusters: changed ? [PixelBox(x: 10, y: 20, width: 30, height: 40)] : [],
            words: verdict == .passed ? "" : "\(verdict.rawValue) in one line of <words>.",
            files: files
        )
    }

    private static func cells(_ tests: [TestSummary]) -> [CellSummary] {
        func cell(_ id: String, _ device: String, _ os: String, _ variant: [String: String])
            -> CellSummary
        {
            let own = tests.filter { $0.cell == id }
            return CellSummary(
                id: id,
                device: device,
                os: os,
                variant: variant,
                complete: own.allSatisfy { $0.verdict != nil },
                counts: counts(own)
            )
        }
        return [
            cell(light, "iPhone 8", "13.1", ["appearance": "light", "locale": "ja"]),
            cell(dark, "iPad Pro (11-inch)", "13.1", ["appearance": "dark", "locale": "en"]),
            cell("host", "", "", [:]),
        ]
    }

    private static func counts(_ tests: [TestSummary]) -> VerdictCounts {
        var counts = VerdictCounts()
        for test in tests { counts.add(test.verdict, isSkipped: test.skipped) }
        return counts
    }

    /// Returns a run where everything is as expected.
    static func green() -> RunSummary {
        var summary = summary()
        summary.tests = summary.tests.filter { $0.verdict == .passed }
        summary.snapshots = summary.snapshots.filter { $0.verdict == .passed }
        summary.changes = []
        summary.counts = counts(summary.tests)
        summary.cells = cells(summary.tests)
        summary.problems = []
        summary.run.filtered = false
        summary.state = .passed
        summary.exitCode = 0
        return summary
    }
}
