// An unexpected picture with the evidence of its change, by which pictures are grouped into
// changes.

/// An unexpected picture of a run.
struct ChangedPicture {
    /// The evidence for or against being the same change as another picture of its screen.
    enum Evidence {
        /// Nothing can differ: there is no reference, no capture, or no differing pixel.
        case none
        /// Only the words about the fault are known.
        case words
        /// The pixels changed, with this explanation.
        case explained(PictureChange)
        /// The change was not examined, so the picture stays alone.
        case unknown
    }

    let row: SnapshotSummary
    let evidence: Evidence

    init(_ row: SnapshotSummary, _ comparison: Comparison?) {
        self.row = row
        evidence =
            switch row.verdict {
            case .missing, .unreached, .flaky: .none
            case .new where comparison == nil: .none
            // The picture matches a reference of another name.
            case .moved where comparison?.matches == true: .none
            case .passed, .failed, .errored: .words
            case .new, .moved, .changed: Self.evidence(of: comparison)
            }
    }

    private static func evidence(of comparison: Comparison?) -> Evidence {
        if case .differentTags = comparison { return .words }
        guard let difference = comparison?.difference, let explanation = difference.explanation
        else { return .unknown }
        return .explained(PictureChange(explanation, difference))
    }

    /// Returns the likeness to another picture of its screen with the same verdict.
    func likeness(to other: ChangedPicture) -> Likeness {
        if isEqual(to: other) { return .alike }
        switch (evidence, other.evidence) {
        case (.none, .none): return .alike
        case (.words, .words): return row.words == other.row.words ? .alike : .unlike
        case (.explained(let one), .explained(let two)): return one.likeness(to: two)
        default: return .unlike
        }
    }

    /// Whether the same capture was compared with the same reference.
    private func isEqual(to other: ChangedPicture) -> Bool {
        !row.capture.isEmpty && !row.reference.isEmpty && row.capture == other.row.capture
            && row.reference == other.row.reference
    }
}
