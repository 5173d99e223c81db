// The rules that recognise failures about pictures alone (two frameworks fail a recording test on
// purpose). The frameworks' messages are in their profiles; the texts that consoles print around
// them are the same for all, and are here.
//
// A test with only such failures passes or is approved, so nothing is guessed: a failure with any
// other text is the test's own.

/// A framework's messages of one kind of failure about pictures.
package struct FrameworkMessages: Sendable {
    private let known: [FrameworkMessage]
    private let beginnings: [String]
    private let wholeLines: Set<String>

    /// Makes the messages of one kind, `known`; the further lines in `words` may follow them.
    init(_ known: [FrameworkMessage], of words: FrameworkVocabulary) {
        self.known = known
        beginnings = Self.consoleBeginnings + words.follows
        wholeLines = Set(Self.consoleLines + words.lines)
    }

    /// Whether there are failures, and each of them consists of these messages alone.
    package func areAll(of failures: [TestFailure]) -> Bool {
        !failures.isEmpty && failures.allSatisfy(isAll(of:))
    }

    /// Whether the failure consists only of known messages.
    ///
    /// Every line of its message must be known, because a driver may have joined two failures; no
    /// line beside the message may look like another failure.
    private func isAll(of failure: TestFailure) -> Bool {
        var isSaid = false
        for line in Self.lines(of: failure.message) {
            if isKnown(line) { isSaid = true } else if !isFollowing(line) { return false }
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

    /// Returns the lines of a text without surrounding white space, and without empty lines.
    private static func lines(of text: String) -> [Substring] {
        text.split(whereSeparator: \.isNewline).compactMap { line in
            let start = line.drop(while: \.isWhitespace)
            guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return nil }
            return start[...end]
        }
    }

    /// Whether a text can precede a message in its line, as test frameworks begin their failures.
    private static func mayLead(_ text: Substring) -> Bool {
        text.isEmpty || leads.contains { text.hasSuffix($0) }
    }

    private static let leads = [
        "failed - ", "ImageComparisonFailure: ", "Failed: ", "Exception: ", "Error: ",
    ]

    /// Whether a line may follow a message: the framework's own lines, the path of a picture or
    /// folder, a number, or a console's lines around failures.
    private func isFollowing(_ line: Substring) -> Bool {
        // With a colon, it could be a place in a source where something failed.
        let mayBePath = line.hasSuffix(".png") || line.hasPrefix("/") && !line.contains(":")
        let isPath = mayBePath && !line.contains(where: \.isWhitespace)
        return isPath || Double(line) != nil || wholeLines.contains(String(line))
            || beginnings.contains { line.hasPrefix($0) }
    }

    private static let consoleLines = ["// ...", "}"]
    private static let consoleBeginnings = [
        "\"/", "Test Suite '", "Test Case '", "Executed ", "exit status ", "** TEST",
    ]

    /// Whether the line looks like a failure in the form of any test framework.
    private static func isFailure(_ line: Substring) -> Bool {
        failures.contains { line.contains($0) }
    }

    private static let failures = [
        ": error: ", "XCTAssert", "XCTUnwrap failed", "failed - ", "threw error",
        "Expectation failed", "Issue recorded", "Caught error",
    ]
}

extension FrameworkVocabulary {
    /// The framework's messages about recorded pictures; a test with only these failed for no other
    /// reason.
    package var recordings: FrameworkMessages { FrameworkMessages(recorded, of: self) }
    /// The framework's messages about pictures that differ from their references.
    package var differences: FrameworkMessages { FrameworkMessages(differs, of: self) }
    /// The framework's messages about pictures without references.
    package var missingReferences: FrameworkMessages { FrameworkMessages(missing, of: self) }
    /// The framework's messages about differing pictures or missing references.
    fileprivate var notAsExpected: FrameworkMessages {
        FrameworkMessages(differs + missing, of: self)
    }
}

extension TestResult {
    /// Returns the test's ending: `ending`, or the meaning of its failures if all are messages
    /// about pictures.
    ///
    /// Failures that only report a recorded picture are none; those that only report missing
    /// references give `new`, and those that only report different pictures `changed`.
    ///
    /// This applies only if the job's frameworks were ordered to do so, or always do; `words` are
    /// theirs.
    package func ending(in job: Job, mode: RunMode, words: FrameworkVocabulary) -> TestEnding {
        guard job.kind == .snapshot, case .failed(let text) = ending else { return ending }
        let failures = failures.isEmpty ? [TestFailure(text)] : failures
        if job.records(in: mode) {
            if words.recordings.areAll(of: failures) { return .passed }
            // A framework with references of its own compares in every run.
            let compares = words.remedy != nil
            return compares && words.missingReferences.areAll(of: failures) ? .new(text) : ending
        }
        if words.missingReferences.areAll(of: failures) { return .new(text) }
        return words.notAsExpected.areAll(of: failures) ? .changed(text) : ending
    }
}
