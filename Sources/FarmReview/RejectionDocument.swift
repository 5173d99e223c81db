// The output of a rejection: pictures of a run that are not to become references, or whose
// decisions were withdrawn.
import FarmCore
import Foundation

/// The document of `reject --json`, version 1.
package struct RejectionDocument: Sendable, ReviewDocument {
    package var schemaVersion = 1
    package var run: String
    package var dryRun: Bool
    /// The rejected pictures' ids, sorted.
    package var rejected: [String]
    /// The ids of pictures whose decisions were withdrawn, sorted; `nil` unless a withdrawal was
    /// requested.
    package var withdrawn: [String]?
    /// The ledger or the coordinator that keeps the decisions.
    package var keptIn: String

    package init(
        run: String,
        dryRun: Bool,
        rejected: [SnapshotID],
        withdrawn: [SnapshotID]? = nil,
        keptIn: String
    ) {
        self.run = run
        self.dryRun = dryRun
        self.rejected = rejected.map(\.text)
        self.withdrawn = withdrawn?.map(\.text)
        self.keptIn = keptIn
    }

    /// The document as lines for a terminal.
    package var lines: [String] {
        if let withdrawn {
            guard !withdrawn.isEmpty else {
                return ["Nothing is decided about these pictures that could be taken back."]
            }
            let head = dryRun ? "Would take back" : "Took back"
            return list(withdrawn, "\(head) what was decided about")
                + ["They are to be decided again. Kept in \(keptIn)"]
        }
        return list(rejected, dryRun ? "Would reject" : "Rejected")
            + ["They stay red; `snapfarm approve` leaves them out. Kept in \(keptIn)"]
    }

    private func list(_ names: [String], _ head: String) -> [String] {
        ["\(head) \(names.count) pictures of run \(run):"]
            + names.prefix(Self.shownMax).map { "  " + $0 }
            + (names.count > Self.shownMax ? ["  … \(names.count - Self.shownMax) more"] : [])
    }

    private static let shownMax = 20
}
