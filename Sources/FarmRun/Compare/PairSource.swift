// The sources of pairs: two files, two folders, a list, or requests on standard input. Pairs come
// one at a time, so that a list of millions needs no memory.
import FarmCore
import Foundation

/// A pair to compare, or a picture whose result is known without comparing.
struct CompareItem: Sendable {
    enum Kind: Sendable {
        case pair
        /// The pictures have the same bytes, which is known without reading them.
        case equal
        /// The picture is in the second folder only.
        case added
        /// The picture is in the first folder only.
        case removed
        case broken(Problem)
    }

    var pair: PicturePair
    var kind: Kind = .pair
    /// The options of the request that named the pair, or `nil` if the command's own options apply.
    var request: PairRequest?
}

/// The result of asking a source for its next pair.
enum SourceStep {
    case item(CompareItem)
    /// No pair is ready without waiting.
    case nothingYet
    case end
}

/// A source of pairs, in the order in which they are reported.
protocol PairSource {
    /// Returns the next pair, or the source's end; `.nothingYet` only if `waiting` is false.
    mutating func next(waiting: Bool) throws -> SourceStep

    /// The part of the source's pairs that was returned so far, 0...1, or `nil` if the total is
    /// unknown.
    var share: Double? { get }
    /// The names in the compared folders that are no pictures.
    var others: OtherNames { get }
}

extension PairSource {
    var share: Double? { nil }
    var others: OtherNames { OtherNames() }
}

/// The files and links in compared folders that are no pictures.
struct OtherNames: Encodable {
    private(set) var count = 0
    /// The first names that were found, up to a limit.
    private(set) var names: [String] = []

    mutating func add(_ path: PathBytes) {
        count += 1
        if names.count < FarmLimits.otherNamesMax { names.append(path.text) }
    }
}

/// The source of a single pair, given as two files.
struct FilePair: PairSource {
    private var pair: PicturePair?

    init(_ a: PathBytes, _ b: PathBytes) { pair = PicturePair(number: 1, a: a, b: b) }

    mutating func next(waiting: Bool) -> SourceStep {
        defer { pair = nil }
        return pair.map { .item(CompareItem(pair: $0)) } ?? .end
    }
}
