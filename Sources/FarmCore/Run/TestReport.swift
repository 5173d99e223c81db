// What a worker reports of one test case: all it knows, in one message. Every blob it names is
// durable before the report is sent.

/// One capture, digested and (in verify) compared.
package struct CaptureReport: Hashable, Sendable, Codable {
    package var capture: Capture
    /// The reference it was compared with; nil where the set has none.
    package var reference: ObjectID?
    /// Nil where there is no reference, or where the framework judges.
    package var comparison: Comparison?
    /// The diff picture; only for a comparison that does not match.
    package var diff: Digest?
    /// Why the picture cannot be used (truncated, too large, wrong size); the test is errored.
    package var problem: Problem?
    /// What a person should know of a recorded picture (one flat colour).
    package var warning: String?

    package init(
        capture: Capture,
        reference: ObjectID? = nil,
        comparison: Comparison? = nil,
        diff: Digest? = nil,
        problem: Problem? = nil,
        warning: String? = nil
    ) {
        self.capture = capture
        self.reference = reference
        self.comparison = comparison
        self.diff = diff
        self.problem = problem
        self.warning = warning
    }
}

/// The pictures a framework left for a comparison it failed, stored; and the farm's measurement.
package struct DifferenceReport: Hashable, Sendable, Codable {
    package var id: SnapshotID
    package var reference: Digest?
    package var failed: Digest?
    package var diff: Digest?
    /// Measured by the farm beside the framework's verdict; nil where a picture is missing.
    package var comparison: Comparison?

    package init(
        id: SnapshotID,
        reference: Digest?,
        failed: Digest?,
        diff: Digest?,
        comparison: Comparison?
    ) {
        self.id = id
        self.reference = reference
        self.failed = failed
        self.diff = diff
        self.comparison = comparison
    }
}

/// Pictures of a test case, or of a lease where no test case claimed them.
package struct PictureReports: Hashable, Sendable, Codable {
    package var captures: [CaptureReport]
    package var differences: [DifferenceReport]

    package init(captures: [CaptureReport] = [], differences: [DifferenceReport] = []) {
        self.captures = captures
        self.differences = differences
    }

    package var isEmpty: Bool { captures.isEmpty && differences.isEmpty }
}

/// The report of one test case under one lease.
package struct TestReport: Hashable, Sendable, Codable {
    package var test: TestID
    package var ending: TestEnding
    package var seconds: Double
    /// The end of the test's own output.
    package var output: String
    /// Milliseconds since 1970 at which the test began, by the worker's clock.
    package var startedAt: Int64
    package var pictures: PictureReports

    package init(
        test: TestID,
        ending: TestEnding,
        seconds: Double,
        output: String = "",
        startedAt: Int64 = 0,
        pictures: PictureReports = PictureReports()
    ) {
        self.test = test
        self.ending = ending
        self.seconds = seconds
        self.output = output
        self.startedAt = startedAt
        self.pictures = pictures
    }
}
