// An unexpected picture with the evidence of its change, by which pictures are grouped into
// changes.

/// An unexpected picture of a run, with the evidence that groups it into a change.
struct ChangedPicture {
    /// The evidence whether two pictures of one screen belong to the same change.
    enum Evidence {
        /// No evidence: there is no reference, no capture, or no differing pixel.
        case none
        /// Only the words about the picture's fault.
        case words
        /// The explanation of the changed pixels.
        case explained(PictureChange)
        /// The hunks of a text.
        case text(String)
        /// The change was not examined, so the picture becomes a change of its own.
        case unknown
    }

    let row: SnapshotSummary
    let evidence: Evidence

    init(_ row: SnapshotSummary, _ comparison: Comparison?) {
        self.row = row
        evidence =
            switch row.verdict {
            case .missing, .unreached, .flaky: .none
            // A text without a reference is compared with nothing.
            case .new where row.reference.isEmpty: .none
            // The picture matches a reference of another name.
            case .moved where comparison?.matches == true: .none
            case .passed, .inherited, .failed, .errored: .words
            case .new, .moved, .changed: Self.evidence(of: comparison)
            }
    }

    private static func evidence(of comparison: Comparison?) -> Evidence {
        if case .differentTags = comparison { return .words }
        if let text = comparison?.text { return .text(text.hunks) }
        guard let difference = comparison?.difference, let explanation = difference.explanation
        else { return .unknown }
        return .explained(PictureChange(explanation, difference))
    }

    /// Returns the likeness to another picture of the same screen with the same verdict.
    func likeness(to other: ChangedPicture) -> Likeness {
        if isEqual(to: other) { return .alike }
        switch (evidence, other.evidence) {
        case (.none, .none): return .alike
        case (.words, .words): return row.words == other.row.words ? .alike : .unlike
        case (.text(let one), .text(let two)): return one == two ? .alike : .unlike
        case (.explained(let one), .explained(let two)): return one.likeness(to: two)
        default: return .unlike
        }
    }

    /// Whether both pictures have the same capture and the same reference.
    private func isEqual(to other: ChangedPicture) -> Bool {
        !row.capture.isEmpty && !row.reference.isEmpty && row.capture == other.row.capture
            && row.reference == other.row.reference
    }
}
