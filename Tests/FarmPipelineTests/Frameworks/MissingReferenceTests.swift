// Tests that a test which fails only for lack of a reference has made a new picture. For each
// framework: its messages for a missing reference and for a different picture.
import FarmCore
import FarmPipeline
import FarmTesting
import Testing

/// A framework's output for one failed comparison.
struct SaidVector: Sendable, CustomTestStringConvertible {
    /// The framework, or `nil` for a job that names none.
    var framework: String?
    var text: String
    /// A part of the message's last line, which is the remedy.
    var remedy = ""

    var testDescription: String { "\(framework ?? "no framework"): \(text.prefix(60))" }

    private static let recordsInFarm = "`snapfarm run FILE --mode record`"
    private static let pytest = """
        Failed: Image file not found for comparison test in:
        \t/app/tests/baseline
        (This is expected for new tests.)
        Generated Image:
        \t/lease/pytest-mpl/tests.test_axes.test_bar/result.png
        """
    /// The output of pytest 9, which puts a failure's message into one line.
    private static let pytestLine =
        "Failed: Image file not found for comparison test in: /app/tests/baseline (This is expected "
        + "for new tests.) Generated Image: /lease/pytest-mpl/test_axes.test_bar/result.png"
    private static let never =
        "failed - No reference was found on disk. New snapshot was not recorded because recording "
        + "is disabled"
    private static let jest = """
        Error: New snapshot was not written. The update flag must be explicitly passed to write a new \
        snapshot.

         + This is likely because this test is run in a continuous integration (CI) environment in \
        which snapshots are not written by default.

            at Object.toMatchImageSnapshot (/app/login.test.js:5:20)
            at processTicksAndRejections (node:internal/process/task_queues:95:5)
        """

    static let missing: [SaidVector] = [
        SaidVector(
            framework: "iOSSnapshotTestCase",
            text: "((comparisonSuccess) is true) failed - Snapshot comparison failed: Error "
                + "Domain=FBSnapshotTestControllerErrorDomain Code=1 \"Unable to load reference "
                + "image.\"",
            remedy: recordsInFarm
        ),
        SaidVector(framework: "swift-snapshot-testing", text: never, remedy: recordsInFarm),
        SaidVector(framework: nil, text: never, remedy: recordsInFarm),
        SaidVector(framework: "pytest-mpl", text: pytest, remedy: "--mpl-generate-path"),
        SaidVector(framework: nil, text: pytest, remedy: "--mpl-generate-path"),
        SaidVector(framework: "pytest-mpl", text: pytestLine, remedy: "--mpl-generate-path"),
        SaidVector(
            framework: "matplotlib",
            text: "OSError: Baseline image '/lease/result_images/test_axes/bar-expected.png' does "
                + "not exist.",
            remedy: "baseline_images"
        ),
        SaidVector(
            framework: "Playwright",
            text: "Error: A snapshot doesn't exist at /lease/ReferenceImages/a.spec.ts/a-1.png.",
            remedy: recordsInFarm
        ),
        SaidVector(framework: "jest-image-snapshot", text: jest, remedy: recordsInFarm),
        SaidVector(
            framework: "Roborazzi",
            text: "java.lang.AssertionError: Roborazzi: The original file(/a/b.png) was not "
                + "found.\nSee the actual image at /a/b_actual.png",
            remedy: recordsInFarm
        ),
        SaidVector(
            framework: "Flutter",
            text: "Could not be compared against non-existent file: \"goldens/foo.png\"",
            remedy: "flutter test --update-goldens"
        ),
        SaidVector(
            framework: "Dropshots",
            text: "java.lang.IllegalStateException: Failed to find reference image named /a.png at "
                + "path null . If this is a new test, you may need to record screenshots by running "
                + "record<variantSlug>Screenshots gradle task",
            remedy: "recordDebugAndroidTestScreenshots"
        ),
        SaidVector(
            framework: "ComposePreview",
            text: "com.android.tools.screenshot.ScreenshotImageNotFoundException: Reference image "
                + "file does not exist (src/screenshotTestDebug/reference/a/B/c_0.png).",
            remedy: "updateDebugScreenshotTest"
        ),
    ]

    static let differs: [SaidVector] = [
        SaidVector(
            framework: "jest-image-snapshot",
            text: """
                Error: Expected image to match or be a close match to snapshot but was 0.4% \
                different from snapshot (600 differing pixels).
                See diff for details: /lease/FailureDiffs/a.test.js/a-1-snap-diff.png
                    at Object.toMatchImageSnapshot (/app/a.test.js:5:20)
                """
        ),
        SaidVector(
            framework: "jest-image-snapshot",
            text: "Expected image to be the same size as the snapshot (10x10), but was different "
                + "(20x20)."
        ),
        SaidVector(
            framework: "Roborazzi",
            text: "java.lang.AssertionError: Roborazzi: /a/b.png is changed.\n"
                + "See the compare image at /a/b_compare.png"
        ),
        SaidVector(
            framework: "Paparazzi",
            text: """
                java.lang.AssertionError: Images differ (by 0.390625%) - see details in \
                file:///b/delta-a.png
                Thumbnail for current rendering stored at file:///b/a.png
                Run the following command to accept the changes:
                mv /b/a.png /src/test/snapshots/images/a.png
                """
        ),
        SaidVector(framework: "Shot", text: "Screenshots comparision fail!"),
        SaidVector(
            framework: "Dropshots",
            text: "java.lang.AssertionError: \"a\" failed to match reference image. 12 pixels "
                + "differ (0.1 %)\nOutput written to: /storage/emulated/0/Download/screenshots/a/diff/a.png"
        ),
        SaidVector(
            framework: "ComposePreview",
            text: """
                com.android.tools.screenshot.ImageComparisonAssertionError: Image does not match. \
                (0.42% difference)
                Expected: src/screenshotTestDebug/reference/a/B/c_0.png
                Actual: build/outputs/screenshotTest-results/preview/debug/rendered/a/B/c_0.png
                Diff Image: build/outputs/screenshotTest-results/preview/debug/diffs/a/B/c_0.png
                """
        ),
        SaidVector(
            framework: "Flutter",
            text: """
                Golden "goldens/foo.png": Pixel test failed, 0.32%, 123px diff detected.
                Failure feedback can be found at /app/test/failures
                """
        ),
        SaidVector(
            framework: "Flutter",
            text: "Pixel test failed, image sizes do not match."
        ),
    ]
}

@Suite("A framework's words on pictures without references")
struct MissingReferenceTests {
    private static let own = TestFailure("AssertionError: assert 1 == 2")

    private func ending(
        _ failures: [TestFailure],
        _ framework: String?,
        judge: Judge = .framework,
        mode: RunMode = .verify
    ) throws -> TestEnding {
        let profile = try framework.map { try #require(FrameworkCatalog.profile(named: $0)) }
        let job = Job(
            name: JobName("j"),
            kind: .snapshot,
            driver: DriverSettings("command", ["discover": "d", "run": "r"]),
            judge: judge,
            framework: profile
        )
        let text = failures.map(\.message).joined(separator: "\n")
        return TestResult(
            test: TestID("t"),
            ending: .failed(text),
            seconds: 1,
            failures: failures
        ).ending(in: job, mode: mode)
    }

    @Test(
        "make a new picture of the failure, and the last line says what to do",
        arguments: SaidVector.missing
    )
    func missing(said: SaidVector) throws {
        let found = try ending([TestFailure(said.text)], said.framework)
        guard case .new(let text) = found else {
            Issue.record("\(found)")
            return
        }
        #expect(text.hasPrefix(said.text))
        #expect(text.split(separator: "\n").last?.contains(said.remedy) == true, "\(text)")
    }

    @Test("are not those of a picture that differs", arguments: SaidVector.differs)
    func differs(said: SaidVector) throws {
        let failures = [TestFailure(said.text)]
        #expect(try ending(failures, said.framework) == .changed(said.text))
    }

    @Test("count for nothing beside a failure of the test's own", arguments: SaidVector.missing)
    func beside(said: SaidVector) throws {
        for failures in [[TestFailure(said.text), Self.own], [Self.own, TestFailure(said.text)]] {
            guard case .failed = try ending(failures, said.framework) else {
                Issue.record("a failure of the test's own is lost")
                return
            }
        }
    }

    @Test(
        "count only where the framework was told to compare",
        arguments: [(.farm, .verify), (.farm, .record), (.framework, .record)]
            as [(Judge, RunMode)]
    )
    func told(judge: Judge, mode: RunMode) throws {
        let said = try #require(SaidVector.missing.first)
        let failures = [TestFailure(said.text)]
        #expect(
            try ending(failures, said.framework, judge: judge, mode: mode) == .failed(said.text)
        )
    }

    @Test(
        "count also under record where the references are the tests' own",
        arguments: Judge.allCases
    )
    func ownReferences(judge: Judge) throws {
        let said = try #require(SaidVector.missing.first { $0.framework == "pytest-mpl" })
        let failures = [TestFailure(said.text)]
        guard case .new = try ending(failures, said.framework, judge: judge, mode: .record) else {
            Issue.record("the framework has no reference, and nobody says so")
            return
        }
    }

    @Test("beside a picture that differs make a changed one of the test")
    func both() throws {
        let texts = [
            "failed - Snapshot does not match reference.",
            "failed - No reference was found on disk. New snapshot was not recorded because "
                + "recording is disabled",
        ]
        let failures = texts.map { TestFailure($0) }
        let text = texts.joined(separator: "\n")
        #expect(try ending(failures, "swift-snapshot-testing") == .changed(text))
    }

    @Test("every framework that has words for that says what to do about it")
    func remedies() {
        for profile in FrameworkCatalog.profiles where !profile.messages.missing.isEmpty {
            let isOwn = profile.references == nil
            #expect(isOwn == (profile.messages.remedy != nil), "\(profile.name)")
            #expect(!profile.missingRemedy.isEmpty)
        }
    }
}
