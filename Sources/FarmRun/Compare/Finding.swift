// The result of one pair, as a line for people and a row for programs.
import FarmCore
import Foundation

/// The result of comparing one pair of pictures.
struct Finding: Sendable {
    var pair: PicturePair
    var verdict: PairVerdict
    /// The measured difference of the pixels, or `nil` if no pixel differs.
    var difference: PixelDifference?
    /// The names of the PNG chunks that differ, if no pixel does; else empty.
    var differingTags: [String] = []
    /// The old path of a renamed picture, else `nil`.
    var from: PathBytes?
    /// The reason why the pair is broken, or why its difference was not drawn; else `nil`.
    var problem: Problem?
    /// The path of the picture that shows the difference, or `nil` if none was drawn.
    var diff: String?
    var request: PairRequest?
    /// The picture's files in the report, or `nil` if none were written.
    var reported: ReportedPictures?
    /// The acceptance of the difference, or `nil` if it is unknown.
    var acceptance: Acceptance?

    /// The result in words, for people.
    var words: String {
        switch verdict {
        case .identicalBytes: return "the same bytes"
        case .identicalPixels: return "the same pixels, other bytes"
        case .differentTags:
            return "the same pixels, other colour tags: \(differingTags.joined(separator: ", "))"
        case .withinTolerance: return "within tolerance: " + measured
        case .different:
            return problem.map { "\(measured) (no picture of it: \($0.message))" } ?? measured
        case .added: return "added"
        case .removed: return "removed"
        case .renamed: return "renamed from " + (from?.shown ?? "")
        case .broken:
            return problem.map { "\($0.message) \($0.remedy)" } ?? "broken"
        }
    }

    private var measured: String { difference?.words ?? "" }

    var line: String { (namesPair ? pair.b.shown : "line \(pair.number)") + ": " + words }

    /// Whether the finding is about pictures, and not about a line that names no pair.
    var namesPair: Bool { !pair.b.bytes.isEmpty }
}

/// A finding as a JSON object, without the keys that do not apply.
struct FindingRow: Encodable {
    private enum CodingKeys: String, CodingKey {
        case schemaVersion, id, line, path, pathBytes, a, b, verdict, from, words, diff, problem
        case acceptance, reference, capture, differingPixels, counted, share, largestDelta, clusters
        case differingTags, worst, caveat, explanation
    }

    var finding: Finding
    var origin: PicturePair.Origin
    /// Whether the row answers a request, as a JSON document of its own.
    var isAnswer: Bool

    func encode(to encoder: any Encoder) throws {
        var row = encoder.container(keyedBy: CodingKeys.self)
        let pair = finding.pair
        if isAnswer {
            try row.encode(1, forKey: .schemaVersion)
            try row.encodeIfPresent(finding.request?.id, forKey: .id)
        }
        if origin == .list { try row.encode(pair.number, forKey: .line) }
        if finding.namesPair { try encode(pair, to: &row) }
        try row.encode(finding.verdict, forKey: .verdict)
        try row.encode(finding.words, forKey: .words)
        if !finding.differingTags.isEmpty {
            try row.encode(finding.differingTags, forKey: .differingTags)
        }
        try row.encodeIfPresent(finding.from?.text, forKey: .from)
        try row.encodeIfPresent(finding.diff, forKey: .diff)
        try row.encodeIfPresent(finding.problem, forKey: .problem)
        try row.encodeIfPresent(finding.acceptance, forKey: .acceptance)
        if let difference = finding.difference { try encode(difference, to: &row) }
    }

    private func encode(
        _ pair: PicturePair,
        to row: inout KeyedEncodingContainer<CodingKeys>
    ) throws {
        try row.encode(pair.b.text, forKey: .path)
        // Two different names that are not valid text could look the same.
        if !pair.b.isText {
            try row.encode(Data(pair.b.bytes).base64EncodedString(), forKey: .pathBytes)
        }
        guard origin != .folders else { return }
        try row.encode(pair.a.text, forKey: .a)
        try row.encode(pair.b.text, forKey: .b)
    }

    private func encode(
        _ difference: PixelDifference,
        to row: inout KeyedEncodingContainer<CodingKeys>
    ) throws {
        try row.encode(difference.reference, forKey: .reference)
        try row.encode(difference.capture, forKey: .capture)
        try row.encode(difference.differing, forKey: .differingPixels)
        try row.encode(difference.counted, forKey: .counted)
        try row.encode(difference.share, forKey: .share)
        try row.encode(difference.largestDelta, forKey: .largestDelta)
        try row.encode(difference.clusters, forKey: .clusters)
        try row.encodeIfPresent(difference.worst, forKey: .worst)
        try row.encodeIfPresent(difference.caveat, forKey: .caveat)
        try row.encodeIfPresent(difference.explanation?.withoutSketches, forKey: .explanation)
    }
}
