// The changes of a run. Pictures of one screen with one verdict are one change if each of them
// changed like all the others. In doubt a picture stays alone, because people look at one picture
// of a change and accept all of them.
//
// Invariants
//   - Every unexpected picture is in exactly one change.
//   - A change never mixes screens or verdicts.
//   - The same pictures against the same references have the same id in every run.

extension RunSummary {
    /// The run's changes for a review; computed from the rows if the summary has none.
    package var reviewedChanges: [ChangeSummary] { changes ?? RunChanges.of(self) }

    /// The changes whose ids match the pictures that they name, or `nil` if the summary has none.
    ///
    /// For summaries from elsewhere: a person accepts an id after seeing its pictures, so the id
    /// must belong to them.
    package var genuineChanges: [ChangeSummary]? {
        let rows = Dictionary(snapshots.map { ($0.id, $0) }) { first, _ in first }
        return changes?.filter { change in
            let pictures = change.snapshots.compactMap { rows[$0] }
            return pictures.count == change.snapshots.count
                && change.id == ChangeSummary.id(of: pictures)
        }
    }
}

package enum RunChanges {
    /// Returns the changes of a run, sorted by the titles of suite and picture, then by size, the
    /// larger first.
    ///
    /// `comparisons` are those of the run's pictures, by their ids.
    package static func of(
        _ summary: RunSummary,
        comparisons: [String: Comparison] = [:]
    ) -> [ChangeSummary] {
        let open = summary.snapshots.filter { !$0.verdict.isAsExpected }
        guard !open.isEmpty else { return [] }
        let titles = RunTitles(summary)
        let cells = CellWords(summary.cells)
        let screens = Dictionary(grouping: open) { Screen($0, titles) }
        return screens.sorted { $0.key < $1.key }.flatMap { _, rows in
            let ordered = rows.sorted { left, right in
                if left.cell != right.cell { return cells.precedes(left.cell, right.cell) }
                return left.id.utf8.lexicographicallyPrecedes(right.id.utf8)
            }
            let pictures = ordered.map { ChangedPicture($0, comparisons[$0.id]) }
            // The sort is stable: of equally large changes, the one of the first cell is first.
            return ChangeGroups.of(pictures).sorted { $0.count > $1.count }
                .map { ChangeSummary($0.map(\.row), cells) }
        }
    }

}

/// The properties that all pictures of one change share.
struct Screen: Hashable, Comparable {
    let suite: String
    let name: String
    let test: String
    let verdict: Verdict

    init(_ picture: SnapshotSummary, _ titles: RunTitles) {
        suite = titles.suite(picture.suite)
        name = titles.name(of: picture)
        test = picture.test
        verdict = picture.verdict
    }

    static func < (left: Self, right: Self) -> Bool {
        for (a, b) in [
            (left.suite, right.suite), (left.name, right.name), (left.test, right.test),
        ] where a != b {
            return a.utf8.lexicographicallyPrecedes(b.utf8)
        }
        return left.verdict.severity > right.verdict.severity
    }
}

extension ChangeSummary {
    /// Returns the id of a change from its pictures, whose order does not matter.
    fileprivate static func id(of pictures: [SnapshotSummary]) -> String {
        let lines = pictures.map { "\($0.id)\0\($0.capture)\0\($0.reference)" }.sorted()
        return String(Digest(of: Array(lines.joined(separator: "\0").utf8)).hex.prefix(12))
    }

    /// Makes the change of these pictures: at least one, in the order of the matrix.
    init(_ pictures: [SnapshotSummary], _ cells: CellWords) {
        self.init(
            id: Self.id(of: pictures),
            words: pictures.first?.words ?? "",
            cells: cells.words(pictures.map(\.cell)),
            snapshots: pictures.map(\.id)
        )
    }
}
