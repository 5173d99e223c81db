// Names of tests, jobs, branches and files come from anywhere, and a terminal obeys what it is sent:
// one name could clear the screen, or make a line read as another.

/// Text as a terminal may show it.
package enum TerminalText {
    /// The text with every unsafe scalar written as `\u001b`; line feeds and tabs stay.
    ///
    /// JSON stays the same JSON: that is how it writes such scalars within its strings, and between
    /// them it has none.
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

    /// Control characters (C0 and C1), and what makes a line read in another order; all below
    /// U+FFFF.
    package static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
        default: isDirectional(scalar)
        }
    }

    /// The marks, embeddings, overrides and isolates of Unicode's bidirectional algorithm (UAX 9).
    package static func isDirectional(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
