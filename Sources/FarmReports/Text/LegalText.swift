// Makes text from test programs fit for documents and terminals. It works scalar by scalar, never
// by Character: a quote followed by a combining mark is one Character, and a rule for `"` would let
// it pass.
import FarmCore

enum LegalText {
    /// Returns the text without terminal escape sequences and without scalars that XML 1.0 forbids.
    ///
    /// Line feeds and tabs stay; CR LF and CR become a line feed.
    static func document(_ text: String) -> String {
        // Nearly all names are ASCII, and a page holds a hundred thousand of them.
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == 0x0A }) { return text }
        var kept = String.UnicodeScalarView()
        var escape = EscapeSequence.none
        var afterReturn = false
        for scalar in text.unicodeScalars {
            defer { afterReturn = scalar == "\r" }
            if escape.swallows(scalar) { continue }
            switch scalar.value {
            case 0x0D: kept.append("\n")
            case 0x0A where afterReturn: continue
            case 0x09, 0x0A: kept.append(scalar)
            case 0..<0x20, 0x7F..<0xA0, 0xFFFE, 0xFFFF: continue
            default: kept.append(scalar)
            }
        }
        return String(kept)
    }

    /// Returns the text as one line: white space becomes single spaces, and nothing reorders the
    /// line.
    static func line(_ text: String) -> String {
        if isPlainLine(text) { return text }
        var kept = String.UnicodeScalarView()
        var space = false
        for scalar in document(text).unicodeScalars {
            if scalar.properties.isWhitespace {
                space = !kept.isEmpty
            } else if !TerminalText.isDirectional(scalar) {
                if space { kept.append(" ") }
                space = false
                kept.append(scalar)
            }
        }
        return String(kept)
    }

    /// Returns a line of a text with its spaces; nothing reorders or breaks it.
    static func code(_ line: String) -> String {
        var kept = String.UnicodeScalarView()
        kept.append(
            contentsOf: document(line).unicodeScalars.filter {
                $0 != "\n" && !TerminalText.isDirectional($0)
            }
        )
        return String(kept)
    }

    /// Returns the text, or its first `scalarsMax` scalars and an ellipsis; a limit in Characters
    /// would be no bound.
    static func clipped(_ text: String, to scalarsMax: Int) -> String {
        let head = text.unicodeScalars.prefix(scalarsMax)
        return head.endIndex == text.endIndex ? text : String(head) + "…"
    }

    /// Returns whether a text is ASCII without control characters, with single spaces and none at
    /// its ends.
    private static func isPlainLine(_ text: String) -> Bool {
        var afterSpace = true
        for byte in text.utf8 {
            guard (0x20..<0x7F).contains(byte), byte != 0x20 || !afterSpace else { return false }
            afterSpace = byte == 0x20
        }
        return !afterSpace || text.isEmpty
    }
}

/// The state of a reader in a terminal's escape sequence (ECMA-48: `ESC [ … final`).
private enum EscapeSequence {
    case none
    case escape
    case control

    /// Reads a scalar, and returns whether it belongs to an escape sequence.
    mutating func swallows(_ scalar: Unicode.Scalar) -> Bool {
        switch self {
        case .none:
            guard scalar.value == 0x1B else { return false }
            self = .escape
        case .escape:
            self = scalar == "[" ? .control : .none
            return scalar == "["
        case .control:
            guard (0x20...0x7E).contains(scalar.value) else {
                self = .none
                return false
            }
            if scalar.value >= 0x40 { self = .none }
        }
        return true
    }
}
