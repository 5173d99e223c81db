// A block of lines on standard error that is redrawn in the same place.
import FarmCore
import Foundation

/// A block of lines that is redrawn in place on a terminal.
package struct LiveBlock {
    private var rows = 0

    init() {}

    /// Draws the lines over the previous ones, each cut to the terminal's width.
    package mutating func draw(_ lines: [String]) {
        let width = max(20, (Console.columns(of: STDERR_FILENO) ?? 100) - 1)
        let block = lines.map { String(TerminalText.shown($0).prefix(width)) + "\u{1B}[K\n" }
            .joined()
        let up = rows > 0 ? "\u{1B}[\(rows)A" : ""
        Console.write(up + block + "\u{1B}[J", to: STDERR_FILENO)
        rows = lines.count
    }

    /// Removes the lines that were drawn last.
    package mutating func clear() {
        guard rows > 0 else { return }
        Console.write("\u{1B}[\(rows)A\u{1B}[J", to: STDERR_FILENO)
        rows = 0
    }
}
