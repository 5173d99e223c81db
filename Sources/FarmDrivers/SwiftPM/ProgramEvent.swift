// The events of a running test program, in terms that both frameworks share.
import FarmCore

/// An event that a test program reports.
package enum ProgramEvent: Equatable, Sendable {
    case started(TestID)
    /// A worse ending of the same test replaces an earlier one; the failures of both count.
    case ended(
        TestID,
        TestEnding,
        seconds: Double,
        output: String,
        failures: [TestFailure] = []
    )
    case captured(TestID, CapturedFile)
    /// A failure before the tests of a suite could start.
    case suiteFailed(String, String)
    /// A failure that belongs to no test.
    case failureOutsideTests(String)
}
