// The spelling of a test's or picture's name in a file name. It cannot be reversed, so a pattern
// reads the spelled name. The classes of replaced letters are code, because they follow Unicode's
// properties; the profile sets everything else.

/// A framework's rules for spelling a test's or picture's name in a file name.
package struct NameSpelling: Hashable, Sendable, Codable {
    /// The class of letters in a name that are replaced.
    package enum Letters: String, Hashable, Sendable, Codable, CaseIterable {
        /// Spaces and punctuation by Unicode; in ASCII the same as Foundation's character sets of
        /// these names.
        case spaceAndPunctuation = "space-and-punctuation"
        /// All letters that ICU's `\W` matches: all but letters, marks, digits and connectors.
        case notWord = "not-word"
        /// All but letters, numbers, `.`, `-` and `_`.
        case notFileName = "not-file-name"
        /// All ASCII characters but letters, digits and `-`.
        case asciiSigns = "ascii-signs"
        case space
        /// All letters between the words of a name, as lodash's kebabCase splits it.
        case betweenWords = "between-words"

        func contains(_ letter: Unicode.Scalar) -> Bool {
            switch self {
            case .spaceAndPunctuation: letter.isPunctuation || letter.isSpace
            case .notWord: !letter.isWordLetter
            case .notFileName:
                !(letter.isLetterOrNumber || letter == "." || letter == "-" || letter == "_")
            case .asciiSigns:
                letter.isASCII && letter != "-" && !letter.isLetterOrNumber
            case .space, .betweenWords: letter.properties.isWhitespace
            }
        }
    }

    /// Whether every replaced letter gives one replacement, or a run of them together.
    package enum Unit: String, Hashable, Sendable, Codable, CaseIterable {
        case each, run
    }

    /// The part of the spelled name that is cut off at both ends.
    package enum Trim: String, Hashable, Sendable, Codable, CaseIterable {
        case nothing
        /// One replacement at each end, if it is there.
        case one
        /// All `_`, `.` and `-` at the ends.
        case signs
    }

    package var replace: Letters
    package var by: String
    package var unit: Unit
    package var trim: Trim
    package var isLowercase: Bool

    package init(
        replace: Letters,
        by: String,
        unit: Unit = .run,
        trim: Trim = .nothing,
        isLowercase: Bool = false
    ) {
        self.replace = replace
        self.by = by
        self.unit = unit
        self.trim = trim
        self.isLowercase = isLowercase
    }

    /// Returns the name as the framework writes it in a file name.
    package func spelled(_ name: String) -> String {
        if replace == .betweenWords {
            let joined = LodashWords.of(name).joined(separator: by)
            return isLowercase ? joined.lowercased() : joined
        }
        var result = ""
        var isRun = false
        for letter in name.unicodeScalars {
            let isReplaced = replace.contains(letter)
            if !isReplaced {
                result.unicodeScalars.append(letter)
            } else if !isRun || unit == .each {
                result += by
            }
            isRun = isReplaced
        }
        let trimmed = trimmed(result[...])
        return isLowercase ? trimmed.lowercased() : String(trimmed)
    }

    private func trimmed(_ text: Substring) -> Substring {
        switch trim {
        case .nothing: return text
        case .one:
            let start = text.hasPrefix(by) ? text.dropFirst(by.count) : text
            return start.hasSuffix(by) ? start.dropLast(by.count) : start
        case .signs:
            let signs: Set<Character> = ["_", ".", "-"]
            let start = text.drop { signs.contains($0) }
            return start.prefix(start.count - start.reversed().prefix { signs.contains($0) }.count)
        }
    }
}

extension Unicode.Scalar {
    /// Whether the letter matches `\w` of ICU: letters, marks, digits and connectors.
    var isWordLetter: Bool {
        switch properties.generalCategory {
        case .connectorPunctuation, .decimalNumber, .nonspacingMark, .spacingMark, .enclosingMark:
            true
        default: properties.isAlphabetic
        }
    }

    fileprivate var isLetterOrNumber: Bool {
        switch properties.generalCategory {
        case .decimalNumber, .letterNumber, .otherNumber: true
        default: properties.isAlphabetic
        }
    }

    fileprivate var isPunctuation: Bool {
        switch properties.generalCategory {
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
            .initialPunctuation, .finalPunctuation, .otherPunctuation:
            true
        default: false
        }
    }

    /// Whether the letter is a space or a tab; line ends are not.
    fileprivate var isSpace: Bool { properties.generalCategory == .spaceSeparator || value == 9 }
}
