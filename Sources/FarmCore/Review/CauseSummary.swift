// A cause: one thing that changed on pictures of any screens, such as a colour or an icon.
// People can decide about the pictures that some causes explain wholly.

/// A cause of a run's changed pictures; a row of `causes` in `summary.json`.
///
/// The pictures name their causes themselves (``SnapshotSummary/causes``).
package struct CauseSummary: Hashable, Sendable, Codable {
    /// The cause's id, 12 hex digits: equal in every run for the same pictures against the same
    /// references.
    package var id: String
    /// The cause on one line: `recoloured #b7410e → #008080`.
    package var words: String
    /// The cells of the cause's pictures on one line: `24 cells: 6 devices × light/dark × ja/en`.
    package var cells: String
    /// The number of pictures that show the cause, and of their screens.
    package var pictures: Int
    package var screens: Int
    /// The ids of pictures that show each look of the cause, at most ``looksMax``.
    ///
    /// The first shows the fewest other causes.
    package var shown: [String]
    /// The changes of elements that the pictures share, with the numbers of elements in all of them
    /// together; empty if no element differs, `nil` if nothing is known about the elements.
    package var elements: [ElementChange]?

    /// The first words of the cause of pictures that are only drawn differently.
    package static let drawnMark = "drawn by another renderer: "
    /// The most looks that a cause shows; the others are among its pictures.
    package static let looksMax = 8

    /// Makes the cause that `pictures` show.
    package init(
        words: String,
        cells: String,
        screens: Int,
        shown: [String],
        of pictures: [SnapshotSummary]
    ) {
        id = Self.id(words, of: pictures)
        self.words = words
        self.cells = cells
        self.pictures = pictures.count
        self.screens = screens
        self.shown = shown
    }

    /// Returns the id of a cause from its words and pictures, whose order does not matter.
    static func id(_ words: String, of pictures: some Collection<SnapshotSummary>) -> String {
        let lines = pictures.map { "\($0.id)\0\($0.capture)\0\($0.reference)" }.sorted()
        let text = ([words] + lines).joined(separator: "\0")
        return String(Digest(of: Array(text.utf8)).hex.prefix(12))
    }
}

extension SnapshotSummary {
    /// Whether the picture's causes explain every changed pixel, so that it can be decided with
    /// them.
    package var isExplained: Bool { causes != nil && unexplained != true }
}

extension RunSummary {
    /// The causes whose ids match the pictures that name them; for summaries from elsewhere.
    package var genuineCauses: [CauseSummary] {
        let pictures = picturesByCause
        return (causes ?? []).filter {
            $0.id == CauseSummary.id($0.words, of: pictures[$0.id] ?? [])
        }
    }

    /// The pictures that show each cause, by its id, in the summary's order.
    package var picturesByCause: [String: [SnapshotSummary]] {
        var pictures: [String: [SnapshotSummary]] = [:]
        for picture in snapshots {
            for cause in picture.causes ?? [] { pictures[cause, default: []].append(picture) }
        }
        return pictures
    }

    /// Returns the ids of the pictures that these causes explain wholly.
    package func pictures(explainedBy causes: Set<String>) -> [String] {
        snapshots.filter { $0.isExplained && causes.isSuperset(of: $0.causes ?? []) }.map(\.id)
    }
}
