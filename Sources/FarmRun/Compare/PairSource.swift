// Where pairs come from: two files, two folders, a list, or requests on standard input. Pairs come
// one at a time, so that a list of millions needs no memory.
import FarmCore
import Foundation

/// One thing to find out, or found out already.
struct CompareItem: Sendable {
    enum Kind: Sendable {
        case pair
        /// Only in the second, only in the first folder.
        case added
        case removed
        case broken(Problem)
    }

    var pair: PicturePair
    var kind: Kind = .pair
    /// What a request asks for; nil where the command's own options hold.
    var request: PairRequest?
}

/// What a source has to say when it is asked.
enum SourceStep {
    case item(CompareItem)
    /// Nothing without waiting.
    case nothingYet
    case end
}

/// Pairs in the order in which they are reported.
protocol PairSource {
    /// The next pair; `.nothingYet` only when not told to wait.
    mutating func next(waiting: Bool) throws -> SourceStep

    /// How much of the source was given out, 0...1; nil where nobody can know.
    var share: Double? { get }
    /// Names that are no pictures.
    var others: OtherNames { get }
}

extension PairSource {
    var share: Double? { nil }
    var others: OtherNames { OtherNames() }
}

/// Files and links in compared folders that are no pictures.
struct OtherNames: Encodable {
    private(set) var count = 0
    /// The first of them.
    private(set) var names: [String] = []

    mutating func add(_ path: PathBytes) {
        count += 1
        if names.count < FarmLimits.otherNamesMax { names.append(path.text) }
    }
}

/// Two files.
struct FilePair: PairSource {
    private var pair: PicturePair?

    init(_ a: PathBytes, _ b: PathBytes) { pair = PicturePair(number: 1, a: a, b: b) }

    mutating func next(waiting: Bool) -> SourceStep {
        defer { pair = nil }
        return pair.map { .item(CompareItem(pair: $0)) } ?? .end
    }
}
