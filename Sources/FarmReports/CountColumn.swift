// What documents count apart: each verdict, the lack of one, and the tests that chose not to run,
// whose verdict is `passed`.
import FarmCore

/// A column of a matrix.
enum CountColumn: Hashable {
    case verdict(Verdict?)
    case skipped

    /// The worst first, what has no verdict last.
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

    /// What occurs, the worst first.
    var occurring: [CountColumn] { CountColumn.all.filter { self[$0] > 0 } }
}
