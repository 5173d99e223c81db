// The causes of a run in documents, each with the pictures that show its looks.

/// A cause of a run in a document.
package struct PictureCause: Hashable, Sendable {
    package let id: String
    package let words: String
    /// The cells of the cause's pictures on one line.
    package let cells: String
    /// The number of pictures that show the cause, and of their screens.
    package let pictures: Int
    package let screens: Int
    /// A picture for each look of the cause; never empty.
    package let shown: [SnapshotSummary]
    /// The changes of elements that the pictures share, as lines; empty if nothing is known about
    /// them.
    package let elements: [String]

    /// Returns the causes of a run whose ids match their pictures, in the summary's order.
    package static func all(of summary: RunSummary) -> [PictureCause] {
        guard summary.causes != nil else { return [] }
        let rows = Dictionary(summary.snapshots.map { ($0.id, $0) }) { first, _ in first }
        return summary.genuineCauses.compactMap { cause in
            let shown = cause.shown.compactMap { rows[$0] }
                .filter { $0.causes?.contains(cause.id) ?? false }
            return shown.isEmpty ? nil : PictureCause(cause, shown)
        }
    }

    private init(_ cause: CauseSummary, _ shown: [SnapshotSummary]) {
        id = cause.id
        words = cause.words
        cells = cause.cells
        pictures = cause.pictures
        screens = cause.screens
        self.shown = shown
        elements = cause.elements.map(ElementChange.lines) ?? []
    }

    /// Returns the numbers of causes and of pictures that they explain in words: `2 causes explain
    /// 96 of 118 changed pictures`.
    package static func count(_ causes: [PictureCause], of summary: RunSummary) -> String {
        let changed = summary.snapshots.count { $0.verdict == .changed && !$0.isText }
        let explained = summary.snapshots.count { $0.isExplained }
        return "\(causes.count) cause\(causes.count == 1 ? " explains" : "s explain") "
            + "\(explained) of \(changed) changed picture\(changed == 1 ? "" : "s")"
    }

    /// The numbers of the cause's pictures and screens in words: `96 pictures on 8 screens`.
    package var extent: String {
        "\(pictures) picture\(pictures == 1 ? "" : "s")"
            + (screens == 1 ? "" : " on \(screens) screens")
    }
}

extension RunTitles {
    /// Returns the name of a cause: its words and, if it is on one screen, where.
    package func name(of cause: PictureCause) -> String {
        cause.screens == 1 ? "\(cause.words) on \(title(of: cause.shown[0]))" : cause.words
    }
}
