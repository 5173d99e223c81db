// The changes of a run as documents tell them: each with those of its pictures that the document
// shows. What a summary does not put into a change is one by itself, so nothing is left out.

/// One change, on the pictures of it that are shown.
package struct ChangeFinding: Hashable, Sendable {
    package let id: String
    /// In the order of the matrix; never empty.
    package let pictures: [SnapshotSummary]
    /// What was found in the first picture, in one line.
    package let words: String
    /// Where, in one line: `24 cells: 6 devices × light/dark × ja/en`.
    package let cells: String

    /// The picture that stands for all of them.
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

    /// The changes of a run with the pictures that `isShown` takes, in the summary's order.
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

    /// `5 changes in 120 pictures`.
    package static func count(_ findings: [ChangeFinding]) -> String {
        let pictures = findings.reduce(0) { $0 + $1.pictures.count }
        return "\(findings.count) change\(findings.count == 1 ? "" : "s") in "
            + "\(pictures) picture\(pictures == 1 ? "" : "s")"
    }
}

extension RunTitles {
    /// `Cart/testEmpty on 24 cells: 6 devices × light/dark × ja/en`; without the only cell of its
    /// job.
    package func name(of change: ChangeFinding) -> String {
        let isAlone =
            change.pictures.count == 1 && hasOneCell(job: change.shown.job)
        return title(of: change.shown) + (isAlone ? "" : " on \(change.cells)")
    }
}
