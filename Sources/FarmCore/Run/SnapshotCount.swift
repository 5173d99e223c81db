// Numbers of pictures and texts in words.

/// The number of pictures and of texts among snapshots.
package struct SnapshotCount: Equatable, Sendable {
    package var pictures = 0
    package var texts = 0

    package var all: Int { pictures + texts }

    package init(_ snapshots: some Sequence<SnapshotSummary>) {
        for snapshot in snapshots {
            if snapshot.isText { texts += 1 } else { pictures += 1 }
        }
    }

    /// The numbers in words: `2 pictures and 1 text`, `3 texts`, `0 pictures`.
    package var words: String {
        let parts = [(pictures, "picture"), (texts, "text")]
            .filter { $0.0 > 0 }
            .map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }
        return parts.isEmpty ? "0 pictures" : parts.joined(separator: " and ")
    }
}
