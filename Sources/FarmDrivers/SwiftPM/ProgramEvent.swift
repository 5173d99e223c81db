// What a running test program says, in the words that both frameworks share.
import FarmCore

/// One thing that a test program said.
package enum ProgramEvent: Equatable, Sendable {
    case started(TestID)
    /// A later ending of the same test replaces a better one; the failures of both count.
    case ended(
        TestID,
        TestEnding,
        seconds: Double,
        output: String,
        failures: [TestFailure] = []
    )
    case captured(TestID, CapturedFile)
    /// Something failed before the tests of a suite could start.
    case suiteFailed(String, String)
    /// Something failed that belongs to no test.
    case homelessFailure(String)
}
