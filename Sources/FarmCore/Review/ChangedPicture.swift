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
        case explained(PixelDifference, Explanation)
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
        return .explained(difference, explanation)
    }

    /// Whether it is the same change as another picture of its screen with its verdict; in doubt it
    /// is not.
    func isLike(_ other: ChangedPicture) -> Bool {
        if isEqual(to: other) { return true }
        switch (evidence, other.evidence) {
        case (.none, .none): return true
        case (.words, .words): return row.words == other.row.words
        case (.explained(let difference, let own), .explained(let otherDifference, let theirs)):
            return ChangeLikeness(own, difference).isLike(ChangeLikeness(theirs, otherDifference))
        default: return false
        }
    }

    /// Whether the same picture was compared with the same reference.
    private func isEqual(to other: ChangedPicture) -> Bool {
        !row.capture.isEmpty && !row.reference.isEmpty && row.capture == other.row.capture
            && row.reference == other.row.reference
    }
}
