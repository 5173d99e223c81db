// Pictures whose names differ only in case, so that they are one file on some systems. None of them
// is recorded, and each makes only its own test errored.

extension Judging {
    /// Gives pictures the verdict `errored` whose paths collide with others of the run, or with
    /// references that stay.
    mutating func separateTwins() {
        guard evidence.plan.mode == .record else {
            let made = evidence.tests.compactMap(\.report).flatMap(\.pictures.captures)
            return pictures.separate(PathTwins.among(made.map(\.capture.id)))
        }
        for candidates in CellCandidates.all(of: evidence) {
            pictures.separate(candidates.twins)
            pictures.holdBack(candidates.blocked)
        }
    }
}
