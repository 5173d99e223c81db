// The width of a text in columns of a terminal. East Asian wide characters and emoji take two
// (Unicode Standard Annex 11, by block: a table of every character would be right a little more
// often and a thousand lines long).

enum Columns {
    static func width(_ text: String) -> Int {
        text.reduce(0) { $0 + width($1) }
    }

    /// Returns the text, or its beginning and an ellipsis, in at most `columns` columns of a
    /// terminal.
    static func clipped(_ text: String, to columns: Int) -> String {
        guard width(text) > columns else { return text }
        var kept = ""
        var used = 1
        for character in text {
            used += width(character)
            guard used <= columns else { break }
            kept.append(character)
        }
        return kept + "…"
    }

    static func left(_ text: String, in columns: Int) -> String {
        let clipped = clipped(text, to: columns)
        return clipped + String(repeating: " ", count: max(0, columns - width(clipped)))
    }

    static func right(_ text: String, in columns: Int) -> String {
        String(repeating: " ", count: max(0, columns - width(text))) + text
    }

    /// Returns the text as lines of at most `columns` columns, broken at spaces; a longer word
    /// keeps its own line.
    static func wrapped(_ text: String, columns: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, width(line) + 1 + width(String(word)) > columns {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " \(word)"
        }
        return line.isEmpty ? lines : lines + [line]
    }

    private static func width(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
            0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default:
            return scalar.properties.generalCategory == .nonspacingMark ? 0 : 1
        }
    }
}
