// The reasons why a whole shard or discovery could not run. The fault of a single test is never
// thrown; it is that test's ending.
import FarmCore

/// The errors of the drivers and of child processes.
package enum DriverError: ExplainedError, Equatable {
    case programMissing(String)
    case folderMissing(String)
    case cannotStart(program: String, reason: String)
    case fileUnwritable(path: String, reason: String)
    case tooManyPictures(folder: String)
    /// The command that lists the tests failed; `ending` is part of a sentence, such as "left with
    /// status 3".
    case discoveryFailed(command: String, ending: String, output: String)
    case duplicateTests([String])
    case testUnusable(line: Int, text: String, reason: String)
    /// A line in the list that a test program prints cannot be parsed.
    case listUnreadable(program: String, line: Int, text: String)
    /// The total at the end of a list does not match the number of listed tests.
    case listIncomplete(total: String, listed: Int)
    case noTestProgram(folder: String)

    package var code: String {
        switch self {
        case .programMissing: "program-missing"
        case .folderMissing: "folder-missing"
        case .cannotStart: "program-not-started"
        case .fileUnwritable: "file-unwritable"
        case .tooManyPictures: "too-many-pictures"
        case .discoveryFailed: "discovery-failed"
        case .duplicateTests: "duplicate-tests"
        case .testUnusable: "test-id-refused"
        case .listUnreadable: "test-list-unreadable"
        case .listIncomplete: "test-list-incomplete"
        case .noTestProgram: "no-test-program"
        }
    }

    package var message: String {
        switch self {
        case .programMissing(let name): "the program \(name) is not there or not executable."
        case .folderMissing(let path): "the folder \(path) does not exist."
        case .cannotStart(let program, let reason):
            "\(program) could not be started: \(reason)."
        case .fileUnwritable(let path, let reason): "\(path) could not be written: \(reason)."
        case .tooManyPictures(let folder):
            "one lease left more than \(FarmLimits.capturesPerLeaseMax) pictures in \(folder)."
        case .discoveryFailed(let command, let ending, let output):
            "`\(command)` \(ending)"
                + (output.isEmpty ? " and said nothing." : "; the end of its output:\n\(output)\n")
        case .duplicateTests(let tests):
            "\(tests.count) test cases are listed more than once: "
                + tests.prefix(5).joined(separator: ", ") + (tests.count > 5 ? ", …." : ".")
        case .testUnusable(let line, let text, let reason):
            "line \(line) of the list of test cases \(reason): \(text)"
        case .listUnreadable(let program, let line, let text):
            "line \(line) of the list of tests of \(program) is not understood: \(text)"
        case .listIncomplete(let total, let listed):
            "the list of test cases says \"\(total)\", and names \(listed)."
        case .noTestProgram(let folder): "the build of \(folder) made no test program."
        }
    }

    package var remedy: String {
        switch self {
        case .programMissing: "Install it, or put its folder into PATH."
        case .folderMissing: "Check the paths in the pipeline file."
        case .cannotStart: "Start it by hand in the same folder to see why."
        case .fileUnwritable: "Check the permissions and the space of that folder."
        case .tooManyPictures: "Let the tests clean up, or narrow the job's `captures`."
        case .discoveryFailed: "Run the command by hand in the folder of the pipeline file."
        case .duplicateTests: "Make `discover` print each test case once."
        case .testUnusable: "Correct what `discover` prints: one test case per line, in UTF-8."
        case .listUnreadable:
            "Without this line a test would never run. Report the line and the version of the tools."
        case .listIncomplete: "Let `discover` print the whole list, and nothing else."
        case .noTestProgram: "Add a test target to the package, or correct `package` of the job."
        }
    }

    package var exit: ExitCode {
        switch self {
        case .programMissing, .folderMissing, .duplicateTests, .testUnusable, .tooManyPictures:
            .invalidInput
        case .discoveryFailed, .noTestProgram, .listUnreadable, .listIncomplete: .incomplete
        case .cannotStart: .busy
        case .fileUnwritable: .inputOutput
        }
    }
}

extension DriverError {
    /// Creates the error for a line of a list, which may be of any length and not UTF-8.
    static func listUnreadable(
        program: String,
        line: Int,
        text: some Collection<UInt8>
    ) -> DriverError {
        .listUnreadable(program: program, line: line, text: shown(text))
    }

    /// Returns the beginning of a line, quoted for a message.
    static func shown(_ line: some Collection<UInt8>) -> String {
        let start = String(decoding: line.prefix(160), as: UTF8.self)
        return start.debugDescription + (line.count > 160 ? "…" : "")
    }
}
