// Every error that reaches a person says what happened and what to do next, and ends in a
// documented exit code. The table of exit codes is this file and nowhere else.

/// The program's exit codes.
///
/// The numbers follow sysexits(3) where it has one; CI providers can retry on `busy` alone.
package enum ExitCode: Int32, Sendable, Codable {
    /// All passed, or recorded.
    case passed = 0
    /// Differences, or failed tests.
    case differences = 1
    /// Something got no verdict: no tests, failed discovery, a missing shard.
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
    /// Busy or infrastructure: the same command may succeed later.
    case busy = 75
    /// The configuration does not fit, for example a pin that is not in the store.
    case configuration = 78
    /// Stopped by Ctrl-C.
    case interrupted = 130
    /// Stopped by SIGTERM.
    case terminated = 143
}

/// An error that is shown to people.
package protocol ExplainedError: Error, CustomStringConvertible, Sendable {
    /// A stable, kebab-case name that scripts and documents may rely on.
    var code: String { get }
    /// One sentence of fact, lower case, with the place (`file:line`) first where there is one.
    var message: String { get }
    /// What to do next; names a command, a file or a setting.
    var remedy: String { get }
    /// How the program ends when nothing handles the error.
    var exit: ExitCode { get }
}

extension ExplainedError {
    package var description: String { "\(message) \(remedy)" }
}

/// An explained error as plain data: for the wire, the summary and the ledger.
package struct Problem: Codable, Hashable, Sendable {
    package var code: String
    package var message: String
    package var remedy: String
    /// The part of message and remedy that names what it is about; nil: it is about nothing by name.
    ///
    /// Problems of one code that differ in nothing else are one for people.
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
