// What a comparison of many pictures comes to: counts, one line of words, and the exit code.

import FarmCore

/// The conclusion about one pair, or about a picture without a partner.
enum PairVerdict: String, Hashable, Sendable, Codable, CaseIterable {
    /// The same bytes.
    case identicalBytes
    /// Other bytes, the same pixels.
    case identicalPixels
    /// Other bytes, the same samples, but other tags of colour.
    case differentTags
    /// Other pixels, but the policy allows it.
    case withinTolerance
    case different
    /// Only in the second folder.
    case added
    /// Only in the first folder.
    case removed
    /// In both folders with the same pixels, under different paths.
    case renamed
    /// A file is missing, unreadable or no picture, or a line of a list names no pair.
    case broken

    init(_ comparison: Comparison) {
        self =
            switch comparison {
            case .identicalBytes: .identicalBytes
            case .identicalPixels: .identicalPixels
            case .differentTags: .differentTags
            case .withinTolerance: .withinTolerance
            case .different: .different
            }
    }

    /// Whether no pixel differs.
    var isIdentical: Bool { self == .identicalBytes || self == .identicalPixels }
    /// Whether nothing has to be looked at.
    var matches: Bool { exit == .passed }

    /// The exit code where this is the worst there is.
    var exit: ExitCode {
        switch self {
        case .identicalBytes, .identicalPixels, .differentTags, .withinTolerance: .passed
        case .different, .added, .removed, .renamed: .differences
        case .broken: .invalidInput
        }
    }

    /// As the line of totals spells it.
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

    /// Pairs that somebody must look at.
    var bad: Int {
        PairVerdict.allCases.filter { !$0.matches }.reduce(0) { $0 + self[$1] }
    }

    /// An input that cannot be compared outweighs any difference: a comparison that did not happen
    /// proves nothing about the rest either.
    var exit: ExitCode {
        let found = PairVerdict.allCases.filter { self[$0] > 0 }.map(\.exit)
        if found.contains(.invalidInput) { return .invalidInput }
        return found.contains(.differences) ? .differences : .passed
    }

    /// `12 pairs: 9 the same bytes, 2 different, 1 added`.
    var words: String {
        let parts = PairVerdict.allCases.filter { self[$0] > 0 }
            .map { "\(self[$0].grouped) \($0.word)" }
        let title = "\(pairs.grouped) pair\(pairs == 1 ? "" : "s")"
        return parts.isEmpty ? title : title + ": " + parts.joined(separator: ", ")
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
