// The causes of a run: facts that several pictures share, whatever their screen, device, language
// or appearance. Changes stay as they are; causes lie across them.
//
// Invariants
//   - A fact that only one picture shows belongs to no cause, so nothing that one picture has
//     alone is ever accepted with others.
//   - A picture is explained only if each of its facts belongs to a cause and no changed pixel is
//     without a fact.

package enum RunCauses {
    /// Adds the causes to a summary: the rows of causes, and to each picture those that it shows.
    ///
    /// Causes that are no fewer than the changes save no work and are left out. `comparisons` are
    /// those of the run's pictures, by their ids.
    package static func add(
        to summary: inout RunSummary,
        comparisons: [String: Comparison]
    ) {
        let pictures = FactTable(summary, RunTitles(summary), comparisons)
        let causes = pictures.causes
        guard !causes.isEmpty, causes.count < summary.changes?.count ?? .max else { return }
        let cells = CellWords(summary.cells)
        var rows: [CauseSummary] = []
        var causesOfFact: [Int: String] = [:]
        for cause in causes {
            let shown = cause.pictures.map { summary.snapshots[pictures.rows[$0]] }
            var row = CauseSummary(
                words: pictures.words(of: cause),
                cells: cells.words(shown.map(\.cell)),
                screens: Set(cause.pictures.map { pictures.screens[$0] }).count,
                shown: pictures.looks(of: cause).map { summary.snapshots[pictures.rows[$0]].id },
                of: shown
            )
            row.elements = pictures.elements(of: cause)
            for fact in cause.facts { causesOfFact[fact] = row.id }
            rows.append(row)
        }
        summary.causes = rows
        for (picture, facts) in pictures.facts.enumerated() {
            let ids = facts.map { causesOfFact[$0] }
            let known = Set(ids.compactMap(\.self))
            guard !known.isEmpty else { continue }
            let row = pictures.rows[picture]
            summary.snapshots[row].causes = rows.map(\.id).filter(known.contains)
            let isExplained = pictures.isWhole[picture] && !ids.contains(nil)
            summary.snapshots[row].unexplained = isExplained ? nil : true
        }
    }
}

/// A group of facts with the pictures that show them; both are numbers in a ``FactTable``.
struct FactGroup {
    var facts: [Int]
    /// Sorted, without repeats.
    var pictures: [Int]
}
