// Rows of texts in columns, for a terminal.

/// Formats rows of texts as a table for a terminal.
package enum TextTable {
    /// Returns lines with aligned columns, those in `numbers` to the right; the last is not padded.
    package static func lines(_ rows: [[String]], numbers: Set<Int> = []) -> [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            row.enumerated().map { column, text in
                let space = String(repeating: " ", count: widths[column] - text.count)
                if numbers.contains(column) { return space + text }
                return column == row.count - 1 ? text : text + space
            }.joined(separator: "  ")
        }
    }
}
