// The rows of two pictures that differ, as far as known, so that later steps skip equal rows.
import CFarmShims

/// The rows of two pictures that may differ; all others are equal.
package struct DifferingRows: Sendable {
    package let range: Range<Int>
    /// A byte for each row of the picture, 0 if the row is equal; `nil` if only the range is known.
    private let flags: [UInt8]?

    /// Creates the value for a range of rows; each of them may differ.
    init(_ range: Range<Int>) {
        self.range = range
        flags = nil
    }

    init(_ rows: farm_rows, flags: [UInt8]) {
        range = Int(rows.first)..<Int(rows.last)
        self.flags = flags
    }

    /// Calls `body` with the rows in the form that the C code reads, valid only during the call.
    func withRows<Result>(_ body: (farm_rows) -> Result) -> Result {
        let first = UInt32(range.lowerBound)
        let last = UInt32(range.upperBound)
        guard let flags else { return body(farm_rows(first: first, last: last, flags: nil)) }
        return flags.withUnsafeBufferPointer { flags in
            body(farm_rows(first: first, last: last, flags: flags.baseAddress))
        }
    }
}
