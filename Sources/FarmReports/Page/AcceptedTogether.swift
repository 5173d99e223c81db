// Pictures that one person accepted with one press, and can take back with one. Decisions of one press
// carry the same time, so nothing else is kept of it.
import FarmCore

/// What a person accepted with one press.
package struct AcceptedTogether: Sendable {
    /// Milliseconds since 1970.
    let when: Int64
    private(set) var changes = 0
    private var pictures = 0

    init(when: Int64) { self.when = when }

    /// Adds the pictures of one more change.
    mutating func add(_ pictures: Int) {
        changes += 1
        self.pictures += pictures
    }

    func words(_ text: PageText) -> String { text.undoAll(changes, pictures) }

    /// Ids of the pictures that are still accepted so.
    package static func snapshots(
        of run: PageRun,
        _ book: DecisionBook,
        by person: String,
        at when: String
    ) -> [String] {
        run.summary.snapshots.filter { picture in
            guard let decision = picture.subject.flatMap({ book.standing[$0] }) else {
                return false
            }
            return decision.kind == .accepted && decision.who == person
                && String(decision.when) == when
        }.map(\.id)
    }
}
