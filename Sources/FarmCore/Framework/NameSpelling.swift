// What frameworks do to a test's or picture's name before it becomes part of a file name. There is no
// way back, so a pattern reads the spelled name. Which letters are replaced is code, because it
// follows Unicode's properties; everything else is the profile's.

/// How one framework spells a name as part of a file name.
package struct NameSpelling: Hashable, Sendable, Codable {
    /// Letters that file names do not keep.
    package enum Letters: String, Hashable, Sendable, Codable, CaseIterable {
        /// Spaces and Unicode's punctuation: what Foundation's sets of these names hold in ASCII.
        case spaceAndPunctuation = "space-and-punctuation"
        /// ICU's `\W`: all but letters, marks, digits and what joins words.
        case notWord = "not-word"
        /// All but letters, numbers, `.`, `-` and `_`.
        case notFileName = "not-file-name"
        /// All of ASCII but letters, digits and `-`.
        case asciiSigns = "ascii-signs"
        case space
        /// All that stands between the words that lodash finds: its kebabCase and its like.
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

    /// What is replaced together.
    package enum Unit: String, Hashable, Sendable, Codable, CaseIterable {
        case each, run
    }

    /// What is cut off at both ends.
    package enum Trim: String, Hashable, Sendable, Codable, CaseIterable {
        case nothing
        /// One replacement at each end.
        case one
        /// Every `_`, `.` and `-`.
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

    /// The name as it stands in a file name.
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
    /// A letter of `\w`.
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

    /// A space or a tab, but no end of a line.
    fileprivate var isSpace: Bool { properties.generalCategory == .spaceSeparator || value == 9 }
}
