// Documents and tables of the commands that ask a coordinator.
import FarmCore
import Foundation

enum FleetOutput {
    /// One JSON document on standard output.
    static func print(_ document: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        Console.print(String(decoding: try encoder.encode(document), as: UTF8.self) + "\n")
    }

    /// Rows of texts, in columns, on standard output.
    static func print(table rows: [[String]]) {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            rows.compactMap { $0.indices.contains(column) ? $0[column].count : nil }.max() ?? 0
        }
        for row in rows {
            let cells = row.enumerated().map { column, text in
                column == row.count - 1
                    ? text : text + String(repeating: " ", count: widths[column] - text.count)
            }
            Console.print(cells.joined(separator: "  ") + "\n")
        }
    }
}
