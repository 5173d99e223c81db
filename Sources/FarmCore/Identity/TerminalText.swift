// The escaping of text for a terminal. Names of tests, jobs, branches and files come from anywhere,
// and a terminal obeys control characters: a name could clear the screen, or make a line look like
// another.

/// Makes text safe to show in a terminal.
package enum TerminalText {
    /// Returns the text with every unsafe scalar written as `\u001b`; line feeds and tabs stay.
    ///
    /// JSON keeps its meaning: it writes such scalars in its strings in this form, and has none
    /// between them.
    package static func shown(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == 0x0A }) { return text }
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard isUnsafe(scalar), scalar != "\n", scalar != "\t" else {
                shown.append(scalar)
                continue
            }
            let digits = String(scalar.value, radix: 16)
            let zeros = String(repeating: "0", count: 4 - digits.count)
            shown.append(contentsOf: "\\u\(zeros)\(digits)".unicodeScalars)
        }
        return String(shown)
    }

    /// Whether a terminal must not get the scalar: control characters (C0 and C1) and those that
    /// reorder a line; all are below U+FFFF.
    package static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
        default: isDirectional(scalar)
        }
    }

    /// Whether the scalar is a mark, embedding, override or isolate of Unicode's bidirectional
    /// algorithm (UAX 9).
    package static func isDirectional(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
