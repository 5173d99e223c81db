// The changes that the button "Accept all" accepts: those that pass the filter and have no decision
// about any picture. Folded changes were not looked at, so they are left out.
import FarmCore
import Foundation

/// The changes without a decision that pass the filter of a host's page, including those on its
/// next pages.
package struct OpenChanges: Sendable {
    /// The ids of the open changes; `snapshots` has the ids of open pictures that the run puts into
    /// no change.
    package private(set) var changes: [String] = []
    package private(set) var snapshots: [String] = []
    private(set) var pictures = 0
    /// The digest of all pictures that pass the filter, decided or not; it differs if other
    /// pictures are shown.
    package let digest: Digest

    package init(_ query: PageQuery, of run: PageRun, _ book: DecisionBook) {
        self.init(query.changes(of: run, book), book)
    }

    init(_ asked: [PageChange], _ book: DecisionBook) {
        var shown = ""
        for change in asked where !change.isTold {
            // The id of a change follows from its pictures.
            shown += "\(change.value)\0\(change.first.capture)\0\(change.first.reference)\0"
            guard !change.decidable.isEmpty, change.standing(book).state == .open else { continue }
            switch change.field {
            case .change: changes.append(change.id)
            case .snapshot: snapshots.append(change.value)
            }
            pictures += change.decidable.count
        }
        digest = Digest(of: Data(shown.utf8))
    }

    /// Whether there are open pictures, and few enough for one form to accept them all.
    var isTakeable: Bool { pictures > 0 && pictures <= FarmLimits.decisionsPerCallMax }

    /// Returns the words of the button that accepts all open changes.
    func words(_ text: PageText) -> String {
        let most = FarmLimits.decisionsPerCallMax
        return pictures > most
            ? text.tooManyAtOnce(pictures, most)
            : text.acceptAll(changes.count + snapshots.count, pictures)
    }
}
