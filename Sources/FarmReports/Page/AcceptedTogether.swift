// The pictures that "Accept all" accepted, which one "Undo" withdraws. All decisions of one "Accept
// all" have the same time, so no other record of it is needed.
import FarmCore

/// The decisions of one "Accept all": those of one person with the same time.
package struct AcceptedTogether: Sendable {
    /// The time of the decisions, in milliseconds since 1970.
    let when: Int64
    private(set) var changes = 0
    private var pictures = 0

    init(when: Int64) { self.when = when }

    /// Counts one more change with its number of pictures.
    mutating func add(_ pictures: Int) {
        changes += 1
        self.pictures += pictures
    }

    func words(_ text: PageText) -> String { text.undoAll(changes, pictures) }

    /// Returns the ids of the pictures whose standing decision is `person`'s acceptance at `when`.
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
