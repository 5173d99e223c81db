// The result of a comparison of many pictures: counts, one line of words, and the exit code.

import FarmCore

/// The conclusion about one pair, or about a picture without a partner.
enum PairVerdict: String, Hashable, Sendable, Codable, CaseIterable {
    /// The bytes of both files are the same.
    case identicalBytes
    /// The bytes differ; the pixels are the same.
    case identicalPixels
    /// The bytes and the colour tags differ; the samples are the same.
    case differentTags
    /// The pixels differ, within the policy's tolerance.
    case withinTolerance
    case different
    /// The picture is only in the second folder.
    case added
    /// The picture is only in the first folder.
    case removed
    /// The picture is in both folders with the same pixels, under different paths.
    case renamed
    /// A file is missing, unreadable or no picture, or a line of a list names no pair.
    case broken

    init(_ comparison: Comparison) {
        self =
            switch comparison {
            case .identicalBytes: .identicalBytes
            case .identicalPixels, .equalTexts: .identicalPixels
            case .differentTags: .differentTags
            case .withinTolerance: .withinTolerance
            case .different, .differentText: .different
            }
    }

    /// Whether no pixel differs.
    var isIdentical: Bool { self == .identicalBytes || self == .identicalPixels }
    /// Whether the pictures match, so that a person need not look at the pair.
    var matches: Bool { exit == .passed }

    /// The exit code of a comparison whose worst verdict this is.
    var exit: ExitCode {
        switch self {
        case .identicalBytes, .identicalPixels, .differentTags, .withinTolerance: .passed
        case .different, .added, .removed, .renamed: .differences
        case .broken: .invalidInput
        }
    }

    /// The verdict in words, for the line of totals.
    var word: String {
        switch self {
        case .identicalBytes: "the same bytes"
        case .identicalPixels: "the same pixels"
        case .differentTags: "the same but for colour tags"
        case .withinTolerance: "within tolerance"
        case .different: "different"
        case .added: "added"
        case .removed: "removed"
        case .renamed: "renamed"
        case .broken: "could not be compared"
        }
    }
}

/// Counts of pairs by verdict.
struct CompareTotals: Hashable, Sendable {
    private var counts: [PairVerdict: Int] = [:]

    init() {}

    mutating func count(_ verdict: PairVerdict, times: Int = 1) {
        counts[verdict, default: 0] += times
    }

    subscript(verdict: PairVerdict) -> Int { counts[verdict] ?? 0 }

    /// The number of counted pairs; a renamed picture is one pair.
    var pairs: Int { counts.values.reduce(0, +) }

    /// The number of pairs that a person must look at.
    var bad: Int {
        PairVerdict.allCases.filter { !$0.matches }.reduce(0) { $0 + self[$1] }
    }

    /// The exit code of a comparison: that of its worst verdict.
    ///
    /// An input that cannot be compared outweighs any difference: a comparison that did not happen
    /// proves nothing.
    var exit: ExitCode {
        let found = PairVerdict.allCases.filter { self[$0] > 0 }.map(\.exit)
        if found.contains(.invalidInput) { return .invalidInput }
        return found.contains(.differences) ? .differences : .passed
    }

    /// The line of totals, such as `12 pairs: 9 the same bytes, 2 different, 1 added`.
    var words: String {
        let parts = PairVerdict.allCases.filter { self[$0] > 0 }
            .map { "\(self[$0].grouped) \($0.word)" }
        let title = "\(pairs.grouped) pair\(pairs == 1 ? "" : "s")"
        return parts.isEmpty ? title : title + ": " + parts.joined(separator: ", ")
    }

    /// Returns the line of totals with the number of differences that no person accepted.
    func words(neverAccepted: Int) -> String {
        words + (neverAccepted == 0 ? "" : "; \(neverAccepted.grouped) never accepted")
    }
}

extension CompareTotals: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        var table = ["pairs": pairs]
        for verdict in PairVerdict.allCases { table[verdict.rawValue] = self[verdict] }
        try container.encode(table)
    }
}
