// The causes of a run: facts that several pictures share, whatever their screen, device, language
// or appearance. Changes stay as they are; causes lie across them.
//
// Invariants
//   - A fact that only one picture shows belongs to no cause, so nothing that one picture has
//     alone is ever accepted with others.
//   - A picture is explained only if each of its facts belongs to a cause and no changed pixel is
//     without a fact, or if only its drawing differs (`DrawnPictures`).

package enum RunCauses {
    /// Adds the causes to a summary: the rows of causes, and to each picture those that it shows.
    ///
    /// Causes that are no fewer than the changes save no work and are left out. `comparisons` are
    /// those of the run's pictures, by their ids; the pictures in `drawn` are only drawn by another
    /// renderer, which is their cause, and have no other.
    package static func add(
        to summary: inout RunSummary,
        comparisons: [String: Comparison],
        drawn: [SnapshotID: RendererChange] = [:]
    ) {
        let drawn = Dictionary(drawn.map { ($0.key.text, $0.value) }) { first, _ in first }
        addDrawn(drawn, to: &summary)
        let pictures = FactTable(
            summary,
            RunTitles(summary),
            comparisons.filter { drawn[$0.key] == nil }
        )
        let causes = pictures.causes
        let changes = summary.changes?.count { !$0.snapshots.allSatisfy { drawn[$0] != nil } }
        guard !causes.isEmpty, causes.count < changes ?? .max else { return }
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
        summary.causes = (summary.causes ?? []) + rows
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

    /// Adds a cause for each change of the renderer, which explains its pictures wholly.
    ///
    /// Shows the pictures that it changed most.
    private static func addDrawn(_ drawn: [String: RendererChange], to summary: inout RunSummary) {
        var places: [String: [Int]] = [:]
        for (place, picture) in summary.snapshots.enumerated() {
            guard let change = drawn[picture.id] else { continue }
            places[CauseSummary.drawnMark + change.words, default: []].append(place)
        }
        guard !places.isEmpty else { return }
        let (cells, titles) = (CellWords(summary.cells), RunTitles(summary))
        let groups = places.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
        summary.causes = groups.map { words, places in
            let pictures = places.map { summary.snapshots[$0] }
            let most = pictures.sorted { ($1.share, $0.id) < ($0.share, $1.id) }
            let row = CauseSummary(
                words: words,
                cells: cells.words(pictures.map(\.cell)),
                screens: Set(pictures.map { Screen($0, titles) }).count,
                shown: most.prefix(CauseSummary.looksMax).map(\.id),
                of: pictures
            )
            for place in places { summary.snapshots[place].causes = [row.id] }
            return row
        }
    }
}

/// A group of facts with the pictures that show them; both are numbers in a ``FactTable``.
struct FactGroup {
    var facts: [Int]
    /// Sorted, without repeats.
    var pictures: [Int]
}
