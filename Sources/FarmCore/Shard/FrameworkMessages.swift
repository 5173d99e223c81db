// Tells failures that only say what became of a picture (two frameworks fail a recording test on
// purpose) from the test's own. The frameworks' words are their profiles'; what may stand around
// them in a console is the same for all and stands here.
//
// A test whose failures are taken for these passes or is approved, so nothing is guessed: one
// failure that is not wholly in these words is the test's own.

/// Messages of one kind.
package struct FrameworkMessages: Sendable {
    private let known: [FrameworkMessage]
    private let beginnings: [String]
    private let wholeLines: Set<String>

    /// What may follow a message is any of the framework's words.
    init(_ known: [FrameworkMessage], of words: FrameworkWords) {
        self.known = known
        beginnings = Self.consoleBeginnings + words.follows
        wholeLines = Set(Self.consoleLines + words.lines)
    }

    /// Whether there are failures, and each of them is such a message and nothing else.
    package func areAll(of failures: [TestFailure]) -> Bool {
        !failures.isEmpty && failures.allSatisfy(isAll(of:))
    }

    /// A driver may have taken two failures for one: every line of the message is looked at, and what
    /// stands beside it must not look like a failure.
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
        "failed - ", "ImageComparisonFailure: ", "Failed: ", "Exception: ", "Error: ",
    ]

    /// Whether a line may follow a message: the framework's own words, the path of a picture or of a
    /// folder, a number, and what consoles print around failures.
    private func isFollowing(_ line: Substring) -> Bool {
        // A colon would make it a place in a source, at which something failed.
        let mayBePath = line.hasSuffix(".png") || line.hasPrefix("/") && !line.contains(":")
        let isPath = mayBePath && !line.contains(where: \.isWhitespace)
        return isPath || Double(line) != nil || wholeLines.contains(String(line))
            || beginnings.contains { line.hasPrefix($0) }
    }

    private static let consoleLines = ["// ...", "}"]
    private static let consoleBeginnings = [
        "\"/", "Test Suite '", "Test Case '", "Executed ", "exit status ", "** TEST",
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

extension FrameworkWords {
    /// A picture was recorded, and the test fails for that alone.
    package var recordings: FrameworkMessages { FrameworkMessages(recorded, of: self) }
    /// A picture differs from its reference.
    package var differences: FrameworkMessages { FrameworkMessages(differs, of: self) }
    /// A picture has no reference.
    package var missingReferences: FrameworkMessages { FrameworkMessages(missing, of: self) }
    /// One or the other.
    fileprivate var notAsExpected: FrameworkMessages {
        FrameworkMessages(differs + missing, of: self)
    }
}

extension TestResult {
    /// How the test ended once its failures are read: those that only say that a picture was
    /// recorded are none, those that only say that pictures have no references make it `new`, and
    /// those that say that pictures differ `changed`.
    ///
    /// Only where that was what its job's frameworks were told to do, or do whatever they are told;
    /// `words` are these frameworks'.
    package func ending(in job: Job, mode: RunMode, words: FrameworkWords) -> TestEnding {
        guard job.kind == .snapshot, case .failed(let text) = ending else { return ending }
        let failures = failures.isEmpty ? [TestFailure(text)] : failures
        if job.records(in: mode) {
            if words.recordings.areAll(of: failures) { return .passed }
            // Whose references are the tests' own compares in every run.
            let compares = words.remedy != nil
            return compares && words.missingReferences.areAll(of: failures) ? .new(text) : ending
        }
        if words.missingReferences.areAll(of: failures) { return .new(text) }
        return words.notAsExpected.areAll(of: failures) ? .changed(text) : ending
    }
}
