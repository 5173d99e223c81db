// The checks of a report, which comes from another machine. After these checks, its numbers are
// added up, its texts printed and its names put into paths. A report that no test can have made is
// refused as a whole. Before a worker sends a report, texts that a driver made too long are cut.
import Foundation

/// The reason why a worker's message is refused.
package struct ReportFault: ExplainedError, Hashable {
    /// The name of the test, or of the other thing, that the mistake is in.
    package let subject: String
    /// The mistake in words without a full stop; names the field.
    package let fact: String

    package init(_ subject: String, _ fact: String) {
        self.subject = subject
        self.fact = fact
    }

    package var code: String { "report-invalid" }
    package var message: String { "\(PlanMistakes.shown(subject)): \(fact)." }
    package var remedy: String {
        "Nothing was kept of the message. Report with the same version of snapfarm."
    }
    package var exit: ExitCode { .usage }
}

extension TestEnding {
    var fault: String? {
        switch self {
        case .passed: nil
        case .failed(let text), .changed(let text), .new(let text), .skipped(let text):
            text.isReportText ? nil : "its text is too long"
        case .errored(let problem): problem.isWithinLimits ? nil : "its problem is too long"
        }
    }
}

extension PictureReports {
    /// The first mistake in the reported pictures, or `nil` if a test can have made them.
    package var fault: String? {
        guard max(captures.count, differences.count) <= FarmLimits.capturesPerLeaseMax else {
            return "it has more than \(FarmLimits.capturesPerLeaseMax) pictures"
        }
        guard unread.count <= FarmLimits.capturesPerLeaseMax, unread.allSatisfy(\.path.isReportText)
        else { return "unread says too much" }
        return captures.lazy.compactMap(\.fault).first
            ?? differences.lazy.compactMap(\.fault).first
    }

    /// Whether all reported pictures are of this cell.
    package func areOf(_ cell: CellID) -> Bool {
        captures.allSatisfy { $0.capture.id.cell == cell }
            && differences.allSatisfy { $0.id.cell == cell }
    }
}

extension CaptureReport {
    fileprivate var fault: String? {
        let picture = capture
        guard picture.id.isPath, predecessor?.id.isPath != false else {
            return "the name of a picture is no path"
        }
        let name = "picture \(PlanMistakes.shown(picture.id.text))"
        if !(0...FarmLimits.blobBytesMax).contains(picture.bytes) {
            return "\(name): bytes is \(picture.bytes)"
        }
        // A capture of 0 bytes could not be read, and has a problem. Without a problem, the
        // coordinator would not look for its blob.
        if picture.bytes == 0, !picture.id.isText, problem == nil, compared != picture.objectID {
            return "\(name): bytes is 0 without a problem"
        }
        let others = alternates ?? []
        guard others.count <= FarmLimits.alternatesPerPictureMax,
            alternate.map({ others.contains($0) && comparison?.matches == true }) != false
        else { return "\(name): alternates are no alternates of it" }
        guard
            (companions ?? [:]).values.allSatisfy({
                (1...FarmLimits.companionBytesMax).contains($0.bytes)
            })
        else { return "\(name): a companion is too large" }
        if rendering?.isOfPictures == false { return "\(name): rendering is of no pictures" }
        if let below = picture.pixelsBelow, !(0...Int(Int32.max)).contains(below) {
            return "\(name): pixelsBelow is \(below)"
        }
        if picture.size?.isOfPicture == false { return "\(name): size is that of no picture" }
        if picture.test?.isUsable == false { return "\(name): test is no name of a test" }
        let texts = [picture.identifier, warning].compactMap(\.self)
        guard texts.allSatisfy(\.isReportText), problem?.isWithinLimits != false else {
            return "\(name): a text is too long"
        }
        return comparison?.fault.map { "\(name): \($0)" }
    }
}

extension DifferenceReport {
    fileprivate var fault: String? {
        guard id.isPath else { return "the name of a picture is no path" }
        return comparison?.fault.map { "picture \(PlanMistakes.shown(id.text)): \($0)" }
    }
}

extension SnapshotID {
    /// Whether the picture's id can be a path.
    ///
    /// Suite and name are path components already; a cell can be any text.
    fileprivate var isPath: Bool {
        PathComponent.isName(cell.text) && text.utf8.count <= FarmLimits.snapshotNameBytesMax
    }
}

extension LeaseEvidence {
    /// The first mistake in the evidence of a lease, or `nil` if a worker can have seen it.
    ///
    /// Job and cell are only checked for length: the ledger knows those of each lease itself.
    package var fault: String? {
        if max(job.text.utf8.count, cell.text.utf8.count) > FarmLimits.snapshotNameBytesMax {
            return "job or cell is too long"
        }
        let facts = renderer.flatMap { [$0.key, $0.value] }
        guard renderer.count <= FarmLimits.rendererFactsMax, facts.allSatisfy(\.isReportText)
        else { return "renderer says too much" }
        if problem?.isWithinLimits == false { return "problem is too long" }
        guard leftOver.count <= FarmLimits.testsPerLeaseMax, leftOver.allSatisfy(\.isUsable) else {
            return "leftOver is not the tests of one lease"
        }
        if let start, !(0...FarmLimits.reportSecondsMax).contains(start.seconds) {
            return "start is \(start.seconds) s, not from 0 to \(FarmLimits.reportSecondsMax)"
        }
        return nil
    }

    /// The evidence with its problem's texts shortened, and without an impossible start.
    package var withinLimits: LeaseEvidence {
        var evidence = self
        if let start, start.seconds > FarmLimits.reportSecondsMax { evidence.start = nil }
        evidence.problem = problem?.withinLimits
        return evidence
    }
}

extension Problem {
    fileprivate var isWithinLimits: Bool {
        code.isReportText && message.isReportText && remedy.isReportText
            && about?.isReportText != false
    }

    var withinLimits: Problem {
        Problem(
            code: code.asReportText,
            message: message.asReportText,
            remedy: remedy.asReportText
        )
    }
}

extension String {
    var isReportText: Bool { utf8.count <= FarmLimits.reportTextBytesMax }

    /// The text as a report may contain it: whole, or only its beginning if it is too long.
    var asReportText: String {
        if isReportText { return self }
        // A character that was cut in two becomes a replacement of three bytes.
        let bytes = utf8.prefix(FarmLimits.reportTextBytesMax - 3)
        return String(decoding: bytes.dropLast(3), as: UTF8.self)
    }
}

extension Int64 {
    /// Whether the number can be a clock's time, in milliseconds since 1970.
    package var isTime: Bool { (0...FarmLimits.clockMillisecondsMax).contains(self) }
}
