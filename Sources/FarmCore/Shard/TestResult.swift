// What a driver knows of one test case after it ran. Pictures are still files in the lease's
// folder; the worker digests, stores and compares them.

/// How a test case ended, before its pictures are looked at.
package enum TestEnding: Hashable, Sendable {
    case passed
    /// The test said so itself; the text is the framework's.
    case failed(String)
    /// Its framework found pictures that differ from its references, and nothing else is wrong; the
    /// text is the framework's. No driver says this: see `TestResult.ending(in:mode:words:)`.
    case changed(String)
    /// Its framework found no reference for a picture, and nothing else is wrong; the text is the
    /// framework's, and its last line says what to do. No driver says this either.
    case new(String)
    /// The test chose not to run; it is counted as skipped, and its reason is shown.
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

/// One failure of a test, as a driver told it from the others.
package struct TestFailure: Hashable, Sendable {
    /// What the framework says of it; its first line says what failed.
    package var message: String
    /// What stands beside it (a trace, what the test printed meanwhile), where that can be told
    /// from the message.
    package var detail: String

    package init(_ message: String, detail: String = "") {
        self.message = message
        self.detail = detail
    }
}

/// A PNG a test left behind.
package struct CapturedFile: Hashable, Sendable {
    package var suite: String
    package var name: String
    /// Absolute path, inside the lease's folder.
    package var path: String
    package var identifier: String?
    /// Pixels of the page below the picture, where the driver knows; nil for none.
    package var pixelsBelow: Int?
    /// The worker paints over these boxes before anything keeps the picture.
    package var masks: [PixelBox]
    /// A sentence for a person who looks at the picture.
    package var note: String?

    package init(
        suite: String,
        name: String,
        path: String,
        identifier: String? = nil,
        pixelsBelow: Int? = nil,
        masks: [PixelBox] = [],
        note: String? = nil
    ) {
        self.suite = suite
        self.name = name
        self.path = path
        self.identifier = identifier
        self.pixelsBelow = pixelsBelow
        self.masks = masks
        self.note = note
    }
}

/// The pictures a framework left for one comparison it failed; each may be missing.
package struct FrameworkDifference: Hashable, Sendable {
    package var suite: String
    package var name: String
    /// Absolute paths, inside the lease's folder.
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

/// The result of one test case.
package struct TestResult: Hashable, Sendable {
    package var test: TestID
    package var ending: TestEnding
    package var seconds: Double
    package var captures: [CapturedFile]
    package var differences: [FrameworkDifference]
    /// Files that the test left beside its pictures, or in their place, and nothing is compared with.
    package var unread: [UnreadFile]
    /// Every failure by itself; empty where the driver has but the ending's text.
    package var failures: [TestFailure]
    /// The end of the test's output, under `FarmLimits.resultOutputBytesMax`; empty where it has
    /// none of its own.
    package var output: String
    /// The failure before the pass of a test that its own tool ran again; nil without one.
    package var earlierFailure: String?

    /// `seconds` beyond `FarmLimits.resultSecondsMax` are as many, and what is no number is none: a
    /// test program says what it likes.
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

    /// Passed at once, printed nothing and left no picture.
    package var isPlainPass: Bool {
        ending == .passed && output.isEmpty && captures.isEmpty && differences.isEmpty
            && unread.isEmpty && earlierFailure == nil
    }
}
