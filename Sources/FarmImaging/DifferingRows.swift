// Which rows of two pictures differ, as far as somebody has found out: whoever comes later does not
// compare the others again.
import CFarmShims

/// Rows outside of which nothing differs.
package struct DifferingRows: Sendable {
    package let range: Range<Int>
    /// A byte for each row of the picture, 0 where the row is equal; nil where nobody looked.
    private let flags: [UInt8]?

    /// Rows of which only the range is known.
    init(_ range: Range<Int>) {
        self.range = range
        flags = nil
    }

    init(_ rows: farm_rows, flags: [UInt8]) {
        range = Int(rows.first)..<Int(rows.last)
        self.flags = flags
    }

    /// Lends the rows to the loops in C.
    func withRows<Result>(_ body: (farm_rows) -> Result) -> Result {
        let first = UInt32(range.lowerBound)
        let last = UInt32(range.upperBound)
        guard let flags else { return body(farm_rows(first: first, last: last, flags: nil)) }
        return flags.withUnsafeBufferPointer { flags in
            body(farm_rows(first: first, last: last, flags: flags.baseAddress))
        }
    }
}
