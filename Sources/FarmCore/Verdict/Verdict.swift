// The verdicts of a run. The words are part of the product; every report spells them the same way.

/// The verdict about one test case, or about one picture.
package enum Verdict: String, Hashable, Sendable, Codable, CaseIterable {
    /// Everything is as expected.
    case passed
    /// A picture differs from its reference by more than the policy allows.
    case changed
    /// The picture has no reference of its own, but equals the reference that it succeeds.
    case moved
    /// A picture has no reference.
    case new
    /// The test of a reference ran to its end without making the picture.
    case missing
    /// The test of a reference did not get that far: this proves nothing about the picture.
    case unreached
    /// The attempts disagreed, or the test passed only when its own tool ran it again.
    case flaky
    /// The test itself failed.
    case failed
    /// The test did not end by itself, or its result cannot be trusted.
    case errored

    /// The words for a picture without a reference.
    static let newWords = "no reference yet."

    /// The order of verdicts; a test case has the worst of its pictures' verdicts and its own.
    package var severity: Int {
        switch self {
        case .passed: 0
        case .flaky: 1
        case .moved: 2
        case .new: 3
        case .unreached: 4
        case .missing: 5
        case .changed: 6
        case .failed: 7
        case .errored: 8
        }
    }
}
