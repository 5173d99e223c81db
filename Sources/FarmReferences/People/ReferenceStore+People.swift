// The journal for people: a title that says what changed, a README, and the catalogue.
import FarmCore
import Foundation

extension ReferenceStore {
    /// Writes the journal entry of a pin's set, with the pages that show its pictures.
    ///
    /// Returns the journal's newest commit; writes nothing if that shows this set already. If the
    /// base is not in the store (it was pruned), the title has no counts. `cells` are the matrix,
    /// in its order; cells of the pin that are not in the matrix are named by their id.
    @discardableResult
    package func appendJournal(
        of pin: ReferencePin,
        since base: ReferencePin,
        note: JournalNote,
        cells: [Cell] = [],
        now: Date
    ) throws -> ObjectID {
        let entry = try journalEntry(of: pin, since: base, note: note, cells: cells, now: now)
        return try appendJournal(
            set: try setID(of: pin),
            pin: pin,
            title: entry.title,
            trailers: entry.trailers,
            files: entry.files,
            now: now
        )
    }

    /// Returns the contents of the journal entry for a pin's set; writes nothing.
    package func journalEntry(
        of pin: ReferencePin,
        since base: ReferencePin,
        note: JournalNote,
        cells: [Cell],
        now: Date
    ) throws -> PushedJournalEntry {
        let difference = try? diff(base, pin)
        var note = note
        if note.base == nil, !base.isEmpty { note.base = try? setID(of: base) }
        let title = difference.map { note.title(of: $0) } ?? "New references"
        let pictures = try references(pin).map(\.id)
        let facts = Dictionary(cells.map { ($0.id, CellFacts($0)) }) { first, _ in first }
        return PushedJournalEntry(
            title: title,
            trailers: note.trailers,
            files: CataloguePages.files(of: pictures, facts: facts, order: cells.map(\.id)),
            now: now
        )
    }
}
