// `reject`: notes that pictures of a run are not to become references. Nothing else changes: they
// stay red, and `approve` leaves them out.
import FarmCore
import Foundation

/// `reject --json`, version 1.
struct RejectionDocument: Encodable {
    var schemaVersion = 1
    var run: String
    var dryRun: Bool
    /// Sorted.
    var rejected: [String]
    /// The file that says so.
    var review: String

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }

    /// For a terminal.
    var lines: [String] {
        let word = dryRun ? "Would reject" : "Rejected"
        return ["\(word) \(rejected.count) pictures of run \(run):"]
            + rejected.prefix(Self.shownMax).map { "  " + $0 }
            + (rejected.count > Self.shownMax
                ? ["  … \(rejected.count - Self.shownMax) more"] : [])
            + ["They stay red; `snapfarm approve` leaves them out. Noted in \(review)"]
    }

    private static let shownMax = 20
}

struct Rejection {
    let session: ReviewSession

    /// Notes the rejection of everything selected that a review can decide about.
    func perform(now: Date) throws -> RejectionDocument {
        let ids = session.selected.filter(ApprovalRules.isReviewable).map(\.id)
        guard !ids.isEmpty || session.selected.isEmpty else {
            let all = ApprovalOptions(removesMissing: true, takesRejected: true)
            throw ReviewRefusal.neverApproved(
                ApprovalRules.choose(session.selected, all).left
            )
        }
        if !session.request.isDryRun, !ids.isEmpty {
            try session.file.add(session.notes(ids, .rejected, now: now))
        }
        return RejectionDocument(
            run: session.run.manifest.run.id,
            dryRun: session.request.isDryRun,
            rejected: ids.map(\.text),
            review: session.file.paths[0]
        )
    }
}
