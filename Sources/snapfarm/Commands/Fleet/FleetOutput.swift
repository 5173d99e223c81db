// The documents and tables of the commands that call a coordinator.
import FarmCore
import FarmRun
import Foundation

enum FleetOutput {
    /// Prints one JSON document on standard output.
    static func print(_ document: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        Console.print(String(decoding: try encoder.encode(document), as: UTF8.self) + "\n")
    }

    /// Prints rows of texts, in columns, on standard output.
    static func print(table rows: [[String]]) {
        for line in TextTable.lines(rows) { Console.print(line + "\n") }
    }
}
