// All terminal output: results go to standard output; progress, warnings and errors to standard
// error. Text from outside the program cannot move the cursor or reorder a line.
import FarmCore
import Foundation

/// Writes all terminal output.
package enum Console {
    /// Prints an error to standard error, first the fact, then the remedy; masks secrets.
    package static func explain(_ error: any ExplainedError) {
        let mask = SecretMask()
        say("error: " + mask.mask(error.message))
        if !error.remedy.isEmpty { say(mask.mask(error.remedy)) }
    }

    /// Prints a line of progress, or a warning, to standard error.
    ///
    /// Results are printed by `ResultPrinter`.
    package static func say(_ line: String) { say(line, to: STDERR_FILENO) }

    static func say(_ line: String, to descriptor: Int32) {
        write(TerminalText.shown(line) + "\n", to: descriptor)
    }

    /// Prints data to standard output: lines for people or JSON.
    ///
    /// Ends the last line if the text does not. Prints nothing for an empty text.
    package static func print(_ text: String) {
        let end = text.isEmpty || text.hasSuffix("\n") ? "" : "\n"
        write(TerminalText.shown(text) + end, to: STDOUT_FILENO)
    }

    /// Whether a stream is a terminal that shows colour and moving lines.
    package static func isLive(
        _ environment: [String: String],
        on descriptor: Int32 = STDERR_FILENO
    ) -> Bool {
        isatty(descriptor) == 1 && environment["TERM"] != "dumb"
            && (environment["CI"] ?? "").isEmpty
    }

    /// Returns the columns of the terminal, or `nil` if there is none, as in a CI's log or a file.
    static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        let known = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return known ? Int(size.ws_col) : nil
    }

    /// Writes text unchanged, because the caller has escaped text from outside the program.
    package static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress, $0.count)
            }
            // The reader has closed the stream, so there is no place left to report to.
            guard written > 0 || errno == EINTR else { return }
            bytes = bytes.dropFirst(max(0, written))
        }
    }
}
