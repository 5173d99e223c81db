// The result of a command, in words for people. `Console.say` prints progress and warnings.
import Foundation

/// Prints the words of a result on standard output, or on standard error where standard output has
/// the result as a document for programs.
package struct ResultWords: Sendable {
    private let descriptor: Int32

    /// `besideDocument` is true of `--json` and `--patch`.
    package init(besideDocument: Bool) {
        descriptor = besideDocument ? STDERR_FILENO : STDOUT_FILENO
    }

    /// Prints a line.
    package func say(_ line: String) { Console.say(line, to: descriptor) }

    /// Prints text without a change; the caller has escaped names from elsewhere.
    package func write(_ text: String) { Console.write(text, to: descriptor) }

    /// `NO_COLOR` counts when it is present and not empty (no-color.org).
    package func hasColour(_ environment: [String: String]) -> Bool {
        Console.isLive(environment, on: descriptor) && (environment["NO_COLOR"] ?? "").isEmpty
    }

    /// Columns of the terminal; nil where there is none.
    package var columns: Int? { Console.columns(of: descriptor) }
}
