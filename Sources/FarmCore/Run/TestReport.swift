// The report of a worker about one test case, in one message. Every blob that it names is durable
// before the report is sent.

/// A capture with its comparison: the report about one picture of a test.
package struct CaptureReport: Hashable, Sendable, Codable {
    package var capture: Capture
    /// The reference that the capture was compared with, or `nil` if the set has none.
    package var reference: ObjectID?
    /// The reference of the picture that this one succeeds and was compared with, or `nil` if the
    /// picture has a reference of its own or no predecessor.
    package var predecessor: Reference?
    /// The alternates of the reference that the capture was compared with, or `nil` if there are
    /// none.
    package var alternates: [ObjectID]?
    /// The alternate that the capture matches, or `nil` if it matches the reference itself, or
    /// nothing.
    package var alternate: ObjectID?
    /// The result of the comparison with the alternate that matches, or else with the reference;
    /// `nil` if there is no reference to compare with or the framework judges.
    package var comparison: Comparison?
    /// The blob of the diff picture, or `nil` unless the comparison does not match.
    package var diff: Digest?
    /// The reason why the picture is unusable (truncated, too large, wrong size), which makes the
    /// test errored; `nil` for a usable picture.
    package var problem: Problem?
    /// The stored companions of the capture, or `nil` if there are none.
    package var companions: [CompanionKind: Companion]?
    /// The difference in drawing of capture and reference, or `nil` if they are equal, the renderer
    /// is the same, or their sizes differ.
    package var rendering: RenderingMeasure?
    /// A warning about the picture for people (one flat colour, missing content), or `nil` if there
    /// is none.
    package var warning: String?

    package init(
        capture: Capture,
        reference: ObjectID? = nil,
        predecessor: Reference? = nil,
        comparison: Comparison? = nil,
        diff: Digest? = nil,
        problem: Problem? = nil,
        warning: String? = nil
    ) {
        self.capture = capture
        self.reference = reference
        self.predecessor = predecessor
        self.comparison = comparison
        self.diff = diff
        self.problem = problem
        self.warning = warning
    }
}

extension CaptureReport {
    /// The Git blob of the picture that `comparison` compared the capture with, or `nil` if there is
    /// none.
    package var compared: ObjectID? { alternate ?? reference ?? predecessor?.objectID }
}

/// The stored pictures that a framework left for a failed comparison, and snapfarm's measurement.
package struct DifferenceReport: Hashable, Sendable, Codable {
    package var id: SnapshotID
    package var reference: Digest?
    package var failed: Digest?
    package var diff: Digest?
    /// snapfarm's own measurement beside the framework's verdict, or `nil` if a picture is missing.
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

/// The reports about the pictures of a test case.
package struct PictureReports: Hashable, Sendable {
    package var captures: [CaptureReport]
    package var differences: [DifferenceReport]
    /// The files beside the pictures that are not compared.
    package var unread: [UnreadFile]

    package init(
        captures: [CaptureReport] = [],
        differences: [DifferenceReport] = [],
        unread: [UnreadFile] = []
    ) {
        self.captures = captures
        self.differences = differences
        self.unread = unread
    }

    package var isEmpty: Bool { captures.isEmpty && differences.isEmpty && unread.isEmpty }
}

extension PictureReports: Codable {
    private enum CodingKeys: String, CodingKey { case captures, differences, unread }

    package func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode(captures, forKey: .captures)
        try object.encode(differences, forKey: .differences)
        if !unread.isEmpty { try object.encode(unread, forKey: .unread) }
    }

    /// Decodes the reports; those of older versions have no `unread`.
    package init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            captures: try object.decode([CaptureReport].self, forKey: .captures),
            differences: try object.decode([DifferenceReport].self, forKey: .differences),
            unread: try object.decodeIfPresent([UnreadFile].self, forKey: .unread) ?? []
        )
    }
}

/// A worker's report about one test case under one lease.
package struct TestReport: Hashable, Sendable {
    package var test: TestID
    package var ending: TestEnding
    package var seconds: Double
    /// The end of the output of the test itself.
    package var output: String
    /// The test's start by the worker's clock, in milliseconds since 1970.
    package var startedAt: Int64
    package var pictures: PictureReports
    /// The host's load while the test ran; `nil` if it is unknown, and for plain passes, whose
    /// lease has it.
    package var load: HostLoad?
    /// The failure before a pass, or `nil` if there was none; see ``TestResult/earlierFailure``.
    package var earlierFailure: String?
    /// The files that the test read, or `nil` if the driver does not record them.
    package var inputs: RecordedInputs?

    package init(
        test: TestID,
        ending: TestEnding,
        seconds: Double,
        output: String = "",
        startedAt: Int64 = 0,
        pictures: PictureReports = PictureReports(),
        load: HostLoad? = nil,
        earlierFailure: String? = nil,
        inputs: RecordedInputs? = nil
    ) {
        self.test = test
        self.ending = ending
        self.seconds = seconds
        self.output = output
        self.startedAt = startedAt
        self.pictures = pictures
        self.load = load
        self.earlierFailure = earlierFailure
        self.inputs = inputs
    }
}

extension TestReport {
    /// Makes the report of a driver's result; `ending` and `pictures` are the worker's, the rest is
    /// copied.
    package init(
        _ result: TestResult,
        ending: TestEnding,
        startedAt: Int64,
        pictures: PictureReports
    ) {
        self.init(
            test: result.test,
            ending: ending,
            seconds: result.seconds,
            output: result.output,
            startedAt: startedAt,
            pictures: pictures,
            earlierFailure: result.earlierFailure,
            inputs: result.inputs
        )
    }

    /// Whether the test passed, and the report has nothing but a start and a duration.
    package var isPlainPass: Bool {
        seconds.isFinite
            && self
                == TestReport(test: test, ending: .passed, seconds: seconds, startedAt: startedAt)
    }
}

extension TestReport: Codable {
    private enum CodingKeys: String, CodingKey {
        case test, ending, seconds, output, startedAt, pictures, load, earlierFailure, inputs
    }

    /// Encodes the report without empty fields; `ending` is always there.
    package func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode(test, forKey: .test)
        try object.encode(ending, forKey: .ending)
        try object.encode(seconds, forKey: .seconds)
        try object.encode(startedAt, forKey: .startedAt)
        if !output.isEmpty { try object.encode(output, forKey: .output) }
        if !pictures.isEmpty { try object.encode(pictures, forKey: .pictures) }
        try object.encodeIfPresent(load, forKey: .load)
        try object.encodeIfPresent(earlierFailure, forKey: .earlierFailure)
        try object.encodeIfPresent(inputs, forKey: .inputs)
    }

    package init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            test: try object.decode(TestID.self, forKey: .test),
            ending: try object.decode(TestEnding.self, forKey: .ending),
            seconds: try object.decode(Double.self, forKey: .seconds),
            output: try object.decodeIfPresent(String.self, forKey: .output) ?? "",
            startedAt: try object.decode(Int64.self, forKey: .startedAt),
            pictures: try object.decodeIfPresent(PictureReports.self, forKey: .pictures)
                ?? PictureReports(),
            load: try object.decodeIfPresent(HostLoad.self, forKey: .load),
            earlierFailure: try object.decodeIfPresent(String.self, forKey: .earlierFailure),
            inputs: try object.decodeIfPresent(RecordedInputs.self, forKey: .inputs)
        )
    }
}

extension TestReport {
    /// The first mistake in the report, or `nil` if a test can have made it.
    package var fault: String? {
        if !test.isUsable { return "test is no name of a test" }
        if !(0...FarmLimits.reportSecondsMax).contains(seconds) {
            return "seconds is \(seconds), not from 0 to \(FarmLimits.reportSecondsMax)"
        }
        if !startedAt.isTime { return "startedAt is \(startedAt), which is no time" }
        if !output.isReportText { return "output is too long" }
        if earlierFailure?.isReportText == false { return "earlierFailure is too long" }
        if let fault = inputs?.fault { return fault }
        return ending.fault.map { "ending: \($0)" } ?? pictures.fault
    }

    /// The report without a driver's mistakes: impossible times are corrected, texts that are too
    /// long are cut.
    package var withinLimits: TestReport {
        var report = self
        let isNumber = seconds.isFinite
        report.seconds = isNumber ? min(max(0, seconds), FarmLimits.reportSecondsMax) : 0
        report.startedAt = min(max(0, startedAt), FarmLimits.clockMillisecondsMax)
        report.output = output.asReportText
        report.earlierFailure = earlierFailure?.asReportText
        if inputs?.fault != nil { report.inputs = nil }
        switch ending {
        case .passed: break
        case .failed(let text): report.ending = .failed(text.asReportText)
        case .changed(let text): report.ending = .changed(text.asReportText)
        case .new(let text): report.ending = .new(text.asReportText)
        case .skipped(let text): report.ending = .skipped(text.asReportText)
        case .errored(let problem): report.ending = .errored(problem.withinLimits)
        }
        for place in report.pictures.captures.indices {
            let capture = report.pictures.captures[place]
            report.pictures.captures[place].problem = capture.problem?.withinLimits
            report.pictures.captures[place].warning = capture.warning?.asReportText
            let identifier = capture.capture.identifier?.asReportText
            report.pictures.captures[place].capture.identifier = identifier
        }
        let unread = pictures.unread.prefix(FarmLimits.capturesPerLeaseMax)
        report.pictures.unread = unread.map {
            UnreadFile(path: $0.path.asReportText, kind: $0.kind)
        }
        return report
    }
}
