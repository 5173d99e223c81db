// The counts that documents show: each verdict, no verdict, and skipped tests, whose verdict is
// `passed`.
import FarmCore

/// A column of counts in a matrix of results.
enum CountColumn: Hashable {
    case verdict(Verdict?)
    case skipped

    /// All columns in the order of documents: the worst verdict first, no verdict last.
    static let all: [CountColumn] =
        Wording.verdictOrder.flatMap { verdict -> [CountColumn] in
            verdict == .passed ? [.skipped, .verdict(verdict)] : [.verdict(verdict)]
        } + [.verdict(nil)]

    var word: String {
        switch self {
        case .verdict(let verdict): Wording.word(verdict)
        case .skipped: "skipped"
        }
    }
}

extension VerdictCounts {
    subscript(_ column: CountColumn) -> Int {
        switch column {
        case .verdict(let verdict): self[verdict]
        case .skipped: skipped
        }
    }

    /// The columns with a count above 0, the worst verdict first.
    var occurring: [CountColumn] { CountColumn.all.filter { self[$0] > 0 } }
}
