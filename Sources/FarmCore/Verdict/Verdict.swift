// What a run concludes. The words are the product's; every report spells them the same way.

/// The conclusion about one test case on one cell, or about one picture.
package enum Verdict: String, Hashable, Sendable, Codable, CaseIterable {
    /// Everything as expected.
    case passed
    /// A picture differs from its reference by more than the policy allows.
    case changed
    /// No reference of its own yet, but equal to the picture of the cell it succeeds.
    case moved
    /// A picture without a reference.
    case new
    /// A reference whose test ran to its end without making it.
    case missing
    /// A reference whose test did not get there: proves nothing.
    case unreached
    /// Attempts disagreed, or the test passed only when its own tool ran it again.
    case flaky
    /// The test itself said no.
    case failed
    /// The test did not end by itself, or its result cannot be trusted.
    case errored

    /// What is said of a picture that has no reference.
    static let newWords = "no reference yet."

    /// How bad a verdict is; a test case takes the worst of its pictures and its own result.
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
