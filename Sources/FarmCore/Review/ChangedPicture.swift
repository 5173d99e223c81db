// A picture that is not as expected, and what is known of how it changed: what decides which
// pictures are one change.

/// One picture of a change.
struct ChangedPicture {
    /// What speaks for or against being the same change as another picture of its screen.
    enum Evidence {
        /// There is nothing that could differ: no reference, no capture, no pixel.
        case none
        /// What is wrong is all that is known.
        case words
        /// The pixels changed, and this is how.
        case explained(PictureChange)
        /// Nobody has looked, so it stands apart.
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
            // Within tolerance under another name.
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

    /// What it says about another picture of its screen with its verdict.
    func likeness(to other: ChangedPicture) -> Likeness {
        if isEqual(to: other) { return .alike }
        switch (evidence, other.evidence) {
        case (.none, .none): return .alike
        case (.words, .words): return row.words == other.row.words ? .alike : .unlike
        case (.explained(let one), .explained(let two)): return one.likeness(to: two)
        default: return .unlike
        }
    }

    /// Whether the same picture was compared with the same reference.
    private func isEqual(to other: ChangedPicture) -> Bool {
        !row.capture.isEmpty && !row.reference.isEmpty && row.capture == other.row.capture
            && row.reference == other.row.reference
    }
}
