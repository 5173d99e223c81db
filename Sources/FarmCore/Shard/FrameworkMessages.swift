// What snapshot frameworks say when a failure is not the test's own: that a picture was recorded
// (two of them fail a recording test on purpose), or that one differs. Sources of the texts:
//
//   iOSSnapshotTestCase 8.0.0     SwiftSupport.swift, FBSnapshotTestController.m
//   swift-snapshot-testing 1.18   AssertSnapshot.swift, UIImage.swift (and 1.8's record message)
//   matplotlib 3.10               testing/decorators.py, testing/compare.py
//   pytest-mpl 0.17               plugin.py
//
// A test whose failures are taken for these passes or is approved, so nothing is guessed: one
// failure that is not wholly in these words is the test's own.

/// Messages of one kind.
package struct FrameworkMessages: Sendable {
    /// A message by how it begins, and by what else stands in its line.
    private struct Known: Sendable {
        let beginning: String
        var also = ""
    }

    private let known: [Known]

    /// A picture was recorded, and the test fails for that alone.
    package static let recordings = FrameworkMessages(known: [
        Known(beginning: "Test ran in record mode. Reference image is now saved."),
        Known(beginning: "Record mode is on."),
        Known(beginning: "No reference was found on disk. Automatically recorded snapshot:"),
        Known(beginning: "Snapshot ", also: "A new snapshot was automatically recorded."),
    ])

    /// A picture differs from its reference.
    package static let differences = FrameworkMessages(known: [
        Known(beginning: "Snapshot comparison failed:", also: "Images different"),
        Known(beginning: "image pixels differed by more than"),
        Known(beginning: "Snapshot ", also: "does not match reference."),
        Known(beginning: "images not close (RMS"),
        Known(beginning: "Error: Image files did not match."),
        Known(beginning: "Error: Image dimensions did not match."),
    ])

    /// Whether there are failures, and each of them is such a message and nothing else.
    package func areAll(of failures: [TestFailure]) -> Bool {
        !failures.isEmpty && failures.allSatisfy(isAll(of:))
    }

    /// A driver may have taken two failures for one: every line of the message is looked at, and what
    /// stands beside it must not look like a failure.
    private func isAll(of failure: TestFailure) -> Bool {
        var isSaid = false
        for line in Self.lines(of: failure.message) {
            if isKnown(line) { isSaid = true } else if !Self.isFollowing(line) { return false }
        }
        return isSaid
            && Self.lines(of: failure.detail).allSatisfy { isKnown($0) || !Self.isFailure($0) }
    }

    private func isKnown(_ line: Substring) -> Bool {
        known.contains { message in
            guard let range = line.firstRange(of: message.beginning),
                Self.mayLead(line[..<range.lowerBound])
            else { return false }
            let rest = line[range.upperBound...]
            return (message.also.isEmpty || rest.contains(message.also)) && !Self.isFailure(rest)
        }
    }

    // MARK: lines

    /// Without white space around them, and without those of nothing else.
    private static func lines(of text: String) -> [Substring] {
        text.split(whereSeparator: \.isNewline).compactMap { line in
            let start = line.drop(while: \.isWhitespace)
            guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return nil }
            return start[...end]
        }
    }

    /// What may stand before a message: how test frameworks begin a failure with words of its own.
    private static func mayLead(_ text: Substring) -> Bool {
        text.isEmpty || leads.contains { text.hasSuffix($0) }
    }

    private static let leads = [
        "failed - ", "ImageComparisonFailure: ", "Failed: ", "Exception: ", "AssertionError: ",
    ]

    /// Whether a line may follow a message: where the pictures are, by how much they differ, what
    /// to do; and what consoles print around failures.
    private static func isFollowing(_ line: Substring) -> Bool {
        let isPath = line.hasSuffix(".png") && !line.contains(where: \.isWhitespace)
        return isPath || Double(line) != nil || followingLines.contains(String(line))
            || followingBeginnings.contains { line.hasPrefix($0) }
    }

    private static let followingLines: Set = [
        "Expected:", "Actual:", "Difference:", "Tolerance:", "// ...", "}",
    ]
    private static let followingBeginnings = [
        "open \"", "\"file:", "\"/", "@\u{2212}", "@-", "@+", "ksdiff \"",
        "Turn record mode off and re-run \"", "Re-run \"", "Recorded snapshot: …",
        "To configure output for a custom diff tool", "withSnapshotTesting(diffTool:",
        "Newly-taken snapshot does not match", "Newly-taken snapshot@", "Actual image precision ",
        "The percentage of pixels that match ", "The lowest perceptual color precision ",
        "result_images/", "RMS Value:", "Expected shape: ", "Actual shape: ",
        "Test Suite '", "Test Case '", "Executed ", "exit status ", "** TEST",
    ]

    /// Whether some framework reports a failure in a line.
    private static func isFailure(_ line: Substring) -> Bool {
        failures.contains { line.contains($0) }
    }

    private static let failures = [
        ": error: ", "XCTAssert", "XCTUnwrap failed", "failed - ", "threw error",
        "Expectation failed", "Issue recorded", "Caught error",
    ]
}

extension TestResult {
    /// How the test ended once its failures are read: those that only say that a picture was
    /// recorded are none, and those that only say that pictures differ make it `changed`.
    ///
    /// Only where that was what its job's frameworks were told to do.
    package func ending(in job: Job, mode: RunMode) -> TestEnding {
        guard job.kind == .snapshot, case .failed(let text) = ending else { return ending }
        let failures = failures.isEmpty ? [TestFailure(text)] : failures
        if job.records(in: mode) {
            return FrameworkMessages.recordings.areAll(of: failures) ? .passed : ending
        }
        return FrameworkMessages.differences.areAll(of: failures) ? .changed(text) : ending
    }
}
