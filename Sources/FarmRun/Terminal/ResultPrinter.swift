// The result of a command, as text for people. `Console.say` prints progress and warnings.
import Foundation

/// Prints the text of a result to standard output, or to standard error if standard output gets a
/// document for programs.
package struct ResultPrinter: Sendable {
    private let descriptor: Int32

    /// Creates a printer; `besideDocument` is true if the command prints `--json` or `--patch`.
    package init(besideDocument: Bool) {
        descriptor = besideDocument ? STDERR_FILENO : STDOUT_FILENO
    }

    /// Prints a line of the result.
    package func say(_ line: String) { Console.say(line, to: descriptor) }

    /// Prints text unchanged, because the caller has escaped names from outside the program.
    package func write(_ text: String) { Console.write(text, to: descriptor) }

    /// Whether to print colours; `NO_COLOR` turns them off if it is not empty (no-color.org).
    package func hasColour(_ environment: [String: String]) -> Bool {
        Console.isLive(environment, on: descriptor) && (environment["NO_COLOR"] ?? "").isEmpty
    }

    /// The columns of the terminal, or `nil` if there is none.
    package var columns: Int? { Console.columns(of: descriptor) }
}
