// What a rejection says: pictures of a run that are not to become references.
import FarmCore
import Foundation

/// `reject --json`, version 1.
package struct RejectionDocument: Sendable, Encodable {
    package var schemaVersion = 1
    package var run: String
    package var dryRun: Bool
    /// Sorted.
    package var rejected: [String]
    /// The ledger or the coordinator that keeps it.
    package var keptIn: String

    package init(run: String, dryRun: Bool, rejected: [SnapshotID], keptIn: String) {
        self.run = run
        self.dryRun = dryRun
        self.rejected = rejected.map(\.text)
        self.keptIn = keptIn
    }

    /// The bytes of `--json`.
    package func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }

    /// For a terminal.
    package var lines: [String] {
        let word = dryRun ? "Would reject" : "Rejected"
        return ["\(word) \(rejected.count) pictures of run \(run):"]
            + rejected.prefix(Self.shownMax).map { "  " + $0 }
            + (rejected.count > Self.shownMax
                ? ["  … \(rejected.count - Self.shownMax) more"] : [])
            + ["They stay red; `snapfarm approve` leaves them out. Kept in \(keptIn)"]
    }

    private static let shownMax = 20
}
