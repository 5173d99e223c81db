// Tests of verdicts from a test's failure messages, as each driver reports them.
import FarmCore
import FarmPipeline
import Foundation
import Testing

extension FrameworkMessages {
    /// The messages of recordings, for jobs that name no framework.
    fileprivate static var recordings: FrameworkMessages {
        FrameworkCatalog.unnamedWords.recordings
    }
    fileprivate static var differences: FrameworkMessages {
        FrameworkCatalog.unnamedWords.differences
    }
}

@Suite("What a framework's failures are worth")
struct FrameworkMessagesTests {
    private static let recordedText =
        "failed - Record mode is on. Automatically recorded snapshot: …\n\nopen \"file:///a.png\"\n\n"
        + "Turn record mode off and re-run \"testA\" to assert against the newly-recorded snapshot"
    private static let differingText = """
        failed - Snapshot "home" does not match reference.

        @−
        "file:///a.png"
        @+
        "file:///b.png"

        Newly-taken snapshot does not match reference.
        """
    /// Messages of other failures, in any framework.
    private static let otherTexts = [
        "XCTAssertEqual failed: (\"1\") is not equal to (\"2\")",
        "XCTUnwrap failed: expected non-nil value of type \"Int\"", "threw error \"E()\"",
        "failed - the cart is empty", "Expectation failed: 1 == 2", "Issue recorded",
        "Caught error: E()", "Time limit was exceeded: 60.000 seconds", "the cart is empty",
        "AssertionError: assert 1 == 2", "",
    ]

    private func isAll(
        _ messages: FrameworkMessages,
        _ failures: [String],
        detail: String = ""
    ) -> Bool {
        messages.areAll(of: failures.map { TestFailure($0, detail: detail) })
    }

    @Test(
        "a failure that only says that a picture was recorded is known by its words",
        arguments: [
            recordedText,
            "Test ran in record mode. Reference image is now saved. Disable record mode to perform…",
            "((noErrors) is true) failed - Test ran in record mode. Reference image is now saved.",
            "A.swift:3: error: -[App.T testA] : failed - Test ran in record mode. "
                + "Reference image is now saved.",
            "Record mode is on. Turn record mode off and re-run \"a\" to test against it.\n\n"
                + "open \"/a.png\"\n\nRecorded snapshot: …",
            "No reference was found on disk. Automatically recorded snapshot: …",
            "Snapshot does not match reference. A new snapshot was automatically recorded.",
            "Test Case '-[App.T testA]' started.\nfailed - Record mode is on.\nexit status 1",
        ]
    )
    func recordings(text: String) {
        #expect(isAll(.recordings, [text]))
        #expect(isAll(.recordings, [text, text], detail: "at A.swift:3\n1 of 2"))
        #expect(!isAll(.differences, [Self.recordedText]))
    }

    @Test(
        "a failure that only says that a picture differs is known by its words",
        arguments: [
            differingText, "failed - Snapshot does not match reference.",
            "failed - Snapshot comparison failed: Optional(Error Domain=FBSnapshotTestController "
                + "Code=4 \"Images different\" UserInfo={NSLocalizedFailureReason=image pixels "
                + "differed by more than 0.00% from the reference image})",
            "image pixels differed by more than 0.00% from the reference image",
            "matplotlib.testing.exceptions.ImageComparisonFailure: images not close (RMS 6.542):\n"
                + "\tresult_images/a/b.png\n\tresult_images/a/b-expected.png",
            "Failed: Error: Image files did not match.\n  RMS Value: 12.3\n  Expected:  \n"
                + "    /a/baseline.png\n  Actual:    \n    /a/result.png\n  Tolerance: \n    2",
        ]
    )
    func differences(text: String) {
        #expect(isAll(.differences, [text]))
        #expect(isAll(.differences, [text], detail: "def test_b():\n>   raise\nE   \(text)"))
        #expect(!isAll(.recordings, [text]))
    }

    @Test("one failure of its own makes all of a test's failures its own", arguments: otherTexts)
    func others(text: String) {
        for (messages, known) in [
            (FrameworkMessages.recordings, Self.recordedText), (.differences, Self.differingText),
        ] {
            #expect(!isAll(messages, [text]))
            #expect(!isAll(messages, [known, text]))
            #expect(!isAll(messages, [text, known, known]))
        }
    }

    @Test(
        "also where a driver cannot tell it from the others",
        arguments: otherTexts.filter { !$0.isEmpty }
    )
    func joined(text: String) {
        for (messages, known) in [
            (FrameworkMessages.recordings, Self.recordedText), (.differences, Self.differingText),
        ] {
            #expect(!isAll(messages, ["\(known)\n\(text)"]))
            #expect(!isAll(messages, ["\(text)\n\(known)"]))
        }
    }

    @Test(
        "words that quote a message are not the message",
        arguments: [
            "XCTAssertEqual failed: (\"Record mode is on.\") is not equal to (\"\")",
            "Expectation failed: title == \"Record mode is on.\"",
            "Test \"Record mode is on.\" recorded an issue at A.swift:1:2: Expectation failed",
            "failed - Record mode is on. XCTAssertTrue failed",
            "failed - Snapshot comparison failed: Code=1 \"Unable to load reference image.\"",
            "No reference was found on disk. New snapshot was not recorded because recording is "
                + "disabled",
        ]
    )
    func quoted(text: String) {
        #expect(!isAll(.recordings, [text]))
        #expect(!isAll(.differences, [text]))
    }

    @Test("what stands beside a message and looks like a failure is one")
    func beside() {
        for line in ["A.swift:9: error: -[T a] : XCTAssertTrue failed", "↳ Expectation failed: 1"] {
            #expect(!isAll(.recordings, [Self.recordedText], detail: "at A.swift:3\n\(line)"))
        }
        let again = "A.swift:3: error: x : \(Self.recordedText)"
        #expect(isAll(.recordings, [Self.recordedText], detail: again))
        #expect(!FrameworkMessages.recordings.areAll(of: []))
    }

    @Test(
        "they count only where the framework was told to do that",
        arguments: [
            (.snapshot, .farm, .verify, recordedText, .passed),
            (.snapshot, .farm, .record, recordedText, .passed),
            (.snapshot, .framework, .record, recordedText, .passed),
            (.snapshot, .framework, .verify, recordedText, .failed(recordedText)),
            (.snapshot, .framework, .verify, differingText, .changed(differingText)),
            (.snapshot, .framework, .record, differingText, .failed(differingText)),
            (.snapshot, .farm, .verify, differingText, .failed(differingText)),
            (.unit, .farm, .verify, recordedText, .failed(recordedText)),
            (.unit, .framework, .verify, differingText, .failed(differingText)),
        ] as [(JobKind, Judge, RunMode, String, TestEnding)]
    )
    func told(kind: JobKind, judge: Judge, mode: RunMode, text: String, ending: TestEnding) {
        let job = Job(
            name: JobName("j"),
            kind: kind,
            driver: DriverSettings("command", ["discover": "d", "run": "r"]),
            judge: judge
        )
        func result(_ ending: TestEnding, _ failures: [TestFailure]) -> TestEnding {
            TestResult(test: TestID("t"), ending: ending, seconds: 1, failures: failures)
                .ending(in: job, mode: mode)
        }
        // A driver that knows only the text gives the same ending.
        #expect(result(.failed(text), []) == ending)
        #expect(result(.failed(text), [TestFailure(text)]) == ending)
        let own = TestFailure("XCTAssertTrue failed")
        #expect(result(.failed(text), [TestFailure(text), own]) == .failed(text))
        #expect(result(.passed, [own]) == .passed)
    }
}
