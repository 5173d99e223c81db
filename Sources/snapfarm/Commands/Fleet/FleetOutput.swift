// Documents and tables of the commands that ask a coordinator.
import FarmCore
import FarmRun
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
        for line in TextTable.lines(rows) { Console.print(line + "\n") }
    }
}
