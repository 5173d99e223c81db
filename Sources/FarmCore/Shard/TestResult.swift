// The result of one test case from its driver. Its pictures are still files in the lease's folder;
// the worker digests, stores and compares them.

/// The ending of a test case, before its pictures are examined.
package enum TestEnding: Hashable, Sendable {
    case passed
    /// The test failed by itself; the text is the framework's.
    case failed(String)
    /// The framework found pictures that differ from their references, and no other fault; the text
    /// is the framework's.
    ///
    /// No driver returns this: see `TestResult.ending(in:mode:words:)`.
    case changed(String)
    /// The framework found pictures without references, and no other fault.
    ///
    /// The text is the framework's, with a remedy in the last line. No driver returns this: see
    /// `TestResult.ending(in:mode:words:)`.
    case new(String)
    /// The test chose not to run. It is counted as skipped, and its reason is shown.
    case skipped(String)
    /// The test did not end by itself, or its result cannot be trusted: time limit, crash, flood,
    /// page not found, broken picture.
    case errored(Problem)

    package var isGood: Bool {
        switch self {
        case .passed, .skipped: true
        case .failed, .changed, .new, .errored: false
        }
    }
}

/// A failure of a test, as far as the driver can separate a test's failures.
package struct TestFailure: Hashable, Sendable {
    /// The framework's message; its first line names the failed check.
    package var message: String
    /// The text beside the message (a trace, the test's output meanwhile); empty if the driver
    /// cannot separate it.
    package var detail: String

    package init(_ message: String, detail: String = "") {
        self.message = message
        self.detail = detail
    }
}

/// A PNG file that a test made.
package struct CapturedFile: Hashable, Sendable {
    package var suite: String
    package var name: String
    /// The file's absolute path, inside the lease's folder.
    package var path: String
    package var identifier: String?
    /// The number of pixels of the page below the picture, or `nil` if there are none or the driver
    /// does not know.
    package var pixelsBelow: Int?
    /// The boxes that the worker paints over before anything stores the picture.
    package var masks: [PixelBox]
    /// A note about the picture for people, or `nil` if there is none.
    package var note: String?
    /// The ending of the file beside a picture that is its element tree, after the picture's name.
    package static let elementsEnding = ".elements.json"
    /// The absolute path of the picture's element tree as JSON, or `nil` if there is none.
    package var elements: String?
    /// The boxes of what the lines of a text name, in pixels of the picture beside it, by the line.
    package var boxes: [String: [PixelBox]]

    package init(
        suite: String,
        name: String,
        path: String,
        identifier: String? = nil,
        pixelsBelow: Int? = nil,
        masks: [PixelBox] = [],
        note: String? = nil,
        elements: String? = nil,
        boxes: [String: [PixelBox]] = [:]
    ) {
        self.suite = suite
        self.name = name
        self.path = path
        self.identifier = identifier
        self.pixelsBelow = pixelsBelow
        self.masks = masks
        self.note = note
        self.elements = elements
        self.boxes = boxes
    }
}

/// The pictures that a framework left for one failed comparison; each path may be `nil`.
package struct FrameworkDifference: Hashable, Sendable {
    package var suite: String
    package var name: String
    /// The absolute path of the reference, inside the lease's folder, or `nil` if the framework
    /// left none.
    package var reference: String?
    package var failed: String?
    package var diff: String?

    package init(
        suite: String,
        name: String,
        reference: String?,
        failed: String?,
        diff: String?
    ) {
        self.suite = suite
        self.name = name
        self.reference = reference
        self.failed = failed
        self.diff = diff
    }
}

/// The result of one test case, as its driver returns it.
package struct TestResult: Hashable, Sendable {
    package var test: TestID
    package var ending: TestEnding
    package var seconds: Double
    package var captures: [CapturedFile]
    package var differences: [FrameworkDifference]
    /// The files beside the test's pictures or in their place that are not compared.
    package var unread: [UnreadFile]
    /// The test's single failures; empty if the driver only has the ending's text.
    package var failures: [TestFailure]
    /// The end of the test's output, at most `FarmLimits.resultOutputBytesMax`; empty if it has
    /// none of its own.
    package var output: String
    /// The failure before a pass, if the test's own tool ran the test again; otherwise `nil`.
    package var earlierFailure: String?
    /// The files that the test read, or `nil` if the driver does not record them.
    package var inputs: RecordedInputs?

    /// Makes the result of a test case.
    ///
    /// `seconds` is limited to `FarmLimits.resultSecondsMax`, and is 0 if it is not a number,
    /// because test programs can report any value.
    package init(
        test: TestID,
        ending: TestEnding,
        seconds: Double,
        captures: [CapturedFile] = [],
        differences: [FrameworkDifference] = [],
        unread: [UnreadFile] = [],
        failures: [TestFailure] = [],
        output: String = "",
        earlierFailure: String? = nil
    ) {
        self.test = test
        self.ending = ending
        self.seconds = seconds.isNaN ? 0 : min(max(0, seconds), FarmLimits.resultSecondsMax)
        self.captures = captures
        self.differences = differences
        self.unread = unread
        self.failures = failures
        self.output = output
        self.earlierFailure = earlierFailure
    }

    /// Whether the test passed at once, printed nothing and left no picture.
    package var isPlainPass: Bool {
        ending == .passed && output.isEmpty && captures.isEmpty && differences.isEmpty
            && unread.isEmpty && earlierFailure == nil
    }
}
