// `reg.json` as reg-cli and reg-suit write it, for their viewers and scripts. Each path is in
// exactly one of `failedItems`, `newItems`, `deletedItems` and `passedItems`; a renamed picture is
// deleted under its old path and new under the other one.
import FarmCore
import Foundation

/// The result of a comparison in the shape of reg-suit.
package struct RegJSON: Sendable, Codable, Equatable {
    package var failedItems: [String] = []
    package var newItems: [String] = []
    package var deletedItems: [String] = []
    package var passedItems: [String] = []
    package var expectedItems: [String] = []
    package var actualItems: [String] = []
    package var diffItems: [String] = []
    package var actualDir: String
    package var expectedDir: String
    package var diffDir: String

    /// Makes an empty result; the folders are relative to the file.
    package init(actualDir: String, expectedDir: String, diffDir: String) {
        self.actualDir = actualDir
        self.expectedDir = expectedDir
        self.diffDir = diffDir
    }

    /// Returns the bytes of the file, with each list sorted.
    package func json() throws -> Data {
        var sorted = self
        for list: WritableKeyPath<RegJSON, [String]> in [
            \.failedItems, \.newItems, \.deletedItems, \.passedItems, \.expectedItems,
            \.actualItems, \.diffItems,
        ] {
            sorted[keyPath: list].sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(sorted) + Data("\n".utf8)
    }
}
