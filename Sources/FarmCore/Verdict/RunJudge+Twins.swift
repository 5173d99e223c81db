// Pictures that are one file where case does not count: none of them may be recorded, and each is an error
// of its test alone.

extension Judging {
    /// Errors pictures that have no place beside others of the run, or beside references that stay.
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
