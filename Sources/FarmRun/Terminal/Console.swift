// The two streams: results go to standard output, progress, warnings and errors to standard error.
// Nothing that comes from elsewhere moves the cursor or reorders a line.
import FarmCore
import Foundation

/// The one mouth of the program.
package enum Console {
    /// An error on standard error, its fact first, then what to do; secrets in it are masked.
    package static func explain(_ error: any ExplainedError) {
        let mask = SecretMask()
        say("error: " + mask.mask(error.message))
        if !error.remedy.isEmpty { say(mask.mask(error.remedy)) }
    }

    /// Prints a line of progress, or a warning, on standard error.
    ///
    /// `ResultWords` prints the words of a result.
    package static func say(_ line: String) { say(line, to: STDERR_FILENO) }

    static func say(_ line: String, to descriptor: Int32) {
        write(TerminalText.shown(line) + "\n", to: descriptor)
    }

    /// Prints data on standard output, lines for people or JSON, and ends the last line if the text
    /// does not; an empty text prints nothing.
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

    /// Columns of the terminal; nil where there is none, as in a CI's log or a file.
    static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        let known = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return known ? Int(size.ws_col) : nil
    }

    /// Text as it is: the caller draws, or has escaped what is not its own.
    package static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress, $0.count)
            }
            // A reader that went away: nobody is left to tell.
            guard written > 0 || errno == EINTR else { return }
            bytes = bytes.dropFirst(max(0, written))
        }
    }
}
