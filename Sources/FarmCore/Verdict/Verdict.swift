// The verdicts of a run. The words are part of the product; every report spells them the same way.

/// The verdict about one test case, or about one picture.
package enum Verdict: String, Hashable, Sendable, Codable, CaseIterable {
    /// The test passed, or the picture is as its reference.
    case passed
    /// A picture differs from its reference by more than the policy allows.
    case changed
    /// The picture has no reference of its own, but equals the reference that it succeeds.
    case moved
    /// The picture has no reference.
    case new
    /// The test of a reference ran to its end without making the picture.
    case missing
    /// The test of a reference ended before it could make the picture, which proves nothing about
    /// it.
    case unreached
    /// The attempts of a test disagreed, or only its own tool's second run passed.
    case flaky
    /// The test failed by itself, whatever its pictures.
    case failed
    /// The test did not end by itself, or its result cannot be trusted.
    case errored
    /// The test did not run: it passed in an earlier run of the same plan.
    case inherited

    /// Whether nothing is to be looked at: the test or picture passed, here or in an earlier run.
    package var isAsExpected: Bool { self == .passed || self == .inherited }

    /// The words about a picture without a reference.
    static let newWords = "no reference yet."

    /// The rank of the verdict, larger for worse ones; a test case has the worst of its pictures'
    /// verdicts and its own.
    package var severity: Int {
        switch self {
        case .passed, .inherited: 0
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
