// Which pictures of a run are one change. Pictures of one screen with one verdict are, when each of
// them changed like all the others; in doubt a picture stands apart, because a change is accepted as
// a whole and only one of its pictures is looked at.
//
// Invariants
//   - Every picture that is not as expected is in exactly one change.
//   - A change never mixes screens or verdicts.
//   - The same pictures against the same references have the same id in every run.

extension RunSummary {
    /// What people decide about; of a summary that does not say it, as far as its rows tell.
    package var reviewedChanges: [ChangeSummary] { changes ?? RunChanges.of(self) }

    /// Those of its changes whose ids are made of the pictures that they name; nil where it has none.
    ///
    /// For summaries from elsewhere: an id that somebody read stands for what was seen under it.
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
    /// The changes of a run, by suite and name as people call them, then the larger first.
    ///
    /// `comparisons` are those of its pictures, by their ids.
    package static func of(
        _ summary: RunSummary,
        comparisons: [String: Comparison] = [:]
    ) -> [ChangeSummary] {
        let open = summary.snapshots.filter { $0.verdict != .passed }
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
            // The sort is stable: of equally large ones the first cell's is first.
            return ChangeGroups.of(pictures).sorted { $0.count > $1.count }
                .map { ChangeSummary($0.map(\.row), cells) }
        }
    }

}

/// What pictures of one change have in common.
private struct Screen: Hashable, Comparable {
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
    /// The id of a change that these pictures show, in whatever order.
    fileprivate static func id(of pictures: [SnapshotSummary]) -> String {
        let lines = pictures.map { "\($0.id)\0\($0.capture)\0\($0.reference)" }.sorted()
        return String(Digest(of: Array(lines.joined(separator: "\0").utf8)).hex.prefix(12))
    }

    /// `pictures` in the order of the matrix; at least one.
    init(_ pictures: [SnapshotSummary], _ cells: CellWords) {
        self.init(
            id: Self.id(of: pictures),
            words: pictures.first?.words ?? "",
            cells: cells.words(pictures.map(\.cell)),
            snapshots: pictures.map(\.id)
        )
    }
}
