// The changes of a run in documents, each with the pictures that the document shows. A picture that
// is in no change of the summary becomes a change of its own, so that nothing is left out.

/// A change of a run in a document, with those of its pictures that the document shows.
package struct ChangeFinding: Hashable, Sendable {
    package let id: String
    /// The shown pictures in the order of the matrix; never empty.
    package let pictures: [SnapshotSummary]
    /// The difference of the change's first picture in words, on one line.
    package let words: String
    /// The shown pictures' cells on one line: `24 cells: 6 devices × light/dark × ja/en`.
    package let cells: String

    /// The picture that represents all pictures of the change.
    package var shown: SnapshotSummary { pictures[0] }
    package var verdict: Verdict { pictures[0].verdict }

    fileprivate init(
        _ change: ChangeSummary,
        _ pictures: [SnapshotSummary],
        _ words: CellWords
    ) {
        id = change.id
        self.pictures = pictures
        self.words = pictures[0].words
        let isWhole = pictures.count == change.snapshots.count
        cells = isWhole ? change.cells : words.words(pictures.map(\.cell))
    }

    /// Returns the changes of a run, in the summary's order, each with those of its pictures for
    /// which `isShown` is true.
    package static func all(
        of summary: RunSummary,
        where isShown: (SnapshotSummary) -> Bool
    ) -> [ChangeFinding] {
        let shown = summary.snapshots.filter(isShown)
        guard !shown.isEmpty else { return [] }
        let cells = CellWords(summary.cells)
        var left = Dictionary(shown.map { ($0.id, $0) }) { first, _ in first }
        var findings: [ChangeFinding] = []
        for change in summary.reviewedChanges {
            let pictures = change.snapshots.compactMap { left.removeValue(forKey: $0) }
            guard !pictures.isEmpty else { continue }
            findings.append(ChangeFinding(change, pictures, cells))
        }
        for picture in shown where left[picture.id] != nil {
            let change = ChangeSummary([picture], cells)
            findings.append(ChangeFinding(change, [picture], cells))
        }
        return findings
    }

    /// Returns the numbers of changes and snapshots in words: `5 changes in 120 pictures`.
    package static func count(_ findings: [ChangeFinding]) -> String {
        let snapshots = SnapshotCount(findings.lazy.flatMap(\.pictures))
        return "\(findings.count) change\(findings.count == 1 ? "" : "s") in \(snapshots.words)"
    }
}

extension RunTitles {
    /// Returns the name of a change: `Cart/testEmpty on 24 cells: 6 devices × light/dark × ja/en`.
    ///
    /// The cell is left out if its job has no other.
    package func name(of change: ChangeFinding) -> String {
        let isAlone =
            change.pictures.count == 1 && hasOneCell(job: change.shown.job)
        return title(of: change.shown) + (isAlone ? "" : " on \(change.cells)")
    }
}
