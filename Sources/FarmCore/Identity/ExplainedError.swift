// Errors for people, and the exit codes. Every error that people see states a fact and a remedy,
// and ends the program with a documented exit code. No other file defines exit codes.

/// The program's exit codes.
///
/// The numbers follow sysexits(3) if it has one; CI providers can retry on `busy` alone.
package enum ExitCode: Int32, Sendable, Codable {
    /// All tests passed, or all pictures were recorded.
    case passed = 0
    /// Pictures differ, or tests failed.
    case differences = 1
    /// Something has no verdict: no tests, failed discovery, a missing shard.
    case incomplete = 2
    /// The command line is wrong.
    case usage = 64
    /// The input is wrong: pipeline file, device, picture.
    case invalidInput = 65
    /// The coordinator does not answer.
    case unavailable = 69
    /// A fault of snapfarm itself.
    case `internal` = 70
    /// Reading or writing failed, for example a full disk.
    case inputOutput = 74
    /// Busy, or the infrastructure failed: the same command may succeed later.
    case busy = 75
    /// The configuration does not match, for example a pin that is not in the store.
    case configuration = 78
    /// Ctrl-C stopped the program.
    case interrupted = 130
    /// SIGTERM stopped the program.
    case terminated = 143
}

/// An error with an explanation for people.
package protocol ExplainedError: Error, CustomStringConvertible, Sendable {
    /// A stable name of the kind of error in kebab case; scripts and documents may rely on it.
    var code: String { get }
    /// The fact in one lower-case sentence; begins with the place (`file:line`) if there is one.
    var message: String { get }
    /// The remedy for the user; names a command, a file or a setting.
    var remedy: String { get }
    /// The program's exit code if the error ends it.
    var exit: ExitCode { get }
}

extension ExplainedError {
    package var description: String { "\(message) \(remedy)" }
}

/// An explained error as plain data, for messages, the summary and the ledger.
package struct Problem: Codable, Hashable, Sendable {
    package var code: String
    package var message: String
    package var remedy: String
    /// The name of the picture, test or other thing that the problem is about, as in message and
    /// remedy, or `nil` if they name none.
    ///
    /// Reports show problems of one code that differ only in this name as one.
    package var about: String?

    package init(code: String, message: String, remedy: String, about: String? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.about = about
    }

    package init(_ error: any ExplainedError) {
        self.init(code: error.code, message: error.message, remedy: error.remedy)
    }
}

extension Problem: CustomStringConvertible {
    package var description: String { "\(message) \(remedy)" }
}
