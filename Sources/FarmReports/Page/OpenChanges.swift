// What the button that accepts everything takes: the changes that the filter lets through and nobody
// has decided about, in whole or in part. What is folded away was not looked at, so it is not taken.
import FarmCore
import Foundation

/// The open changes of a host's page, also those that its next pages show.
package struct OpenChanges: Sendable {
    /// As a form names them: ids of changes, and of pictures that the run puts into no change.
    package private(set) var changes: [String] = []
    package private(set) var snapshots: [String] = []
    private(set) var pictures = 0
    /// Of all that the filter lets through: another one where other pictures are shown.
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

    /// Whether one form may take them.
    var isTakeable: Bool { pictures > 0 && pictures <= FarmLimits.decisionsPerCallMax }

    /// What the button says.
    func words(_ text: PageText) -> String {
        let most = FarmLimits.decisionsPerCallMax
        return pictures > most
            ? text.tooManyAtOnce(pictures, most)
            : text.acceptAll(changes.count + snapshots.count, pictures)
    }
}
