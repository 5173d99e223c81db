// The events of a running test program, in terms that both frameworks share.
import FarmCore

/// An event that a test program reports.
package enum ProgramEvent: Equatable, Sendable {
    case started(TestID)
    /// A test ended; a worse ending of the same test replaces an earlier one, and the failures of
    /// both count.
    case ended(
        TestID,
        TestEnding,
        seconds: Double,
        output: String,
        failures: [TestFailure] = []
    )
    case captured(TestID, CapturedFile)
    /// A suite, the first value, failed before its tests could start; the second is the failure's
    /// text.
    case suiteFailed(String, String)
    /// A failure with this text belongs to no test.
    case failureOutsideTests(String)
}
