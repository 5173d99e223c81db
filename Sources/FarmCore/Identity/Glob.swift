// The patterns that people write for names and paths. Matching takes at most pattern × text steps,
// however many stars a pattern has: in a name only the last star is tried again, and in a path all
// possible positions in the pattern are followed at once.

/// A pattern of literal characters and wildcards (`*`, `?`), which must match the whole text.
///
/// In a pattern of names, a backslash makes the next character literal.
package struct Glob: Hashable, Sendable {
    /// The meaning of `/` in a pattern.
    package enum Mode: Hashable, Sendable {
        /// For names: `*` and `?` match any characters, also `/`.
        case text
        /// For paths: `*` and `?` match within a component, and `**` across components.
        ///
        /// A component `**` followed by `/` also matches no folder at all (`a/**/b` matches `a/b`).
        case path
    }

    /// A token of a parsed pattern.
    package enum Token: Hashable, Sendable {
        case literal(Character)
        /// The wildcard `?`: one character.
        case one
        /// The wildcard `*`: any number of characters.
        case run
        /// The wildcard `**`: any characters, also `/`.
        case deepRun
        /// The wildcard `**/`: any number of whole folders.
        case folders
    }

    private let slash = UInt8(ascii: "/")
    private let mode: Mode
    private let tokens: [Token]

    package init(_ pattern: String, mode: Mode) {
        self.mode = mode
        self.tokens = mode == .text ? Self.textTokens(pattern) : Self.pathTokens(pattern)
    }

    /// Whether the pattern matches the whole of `text`; characters compare by canonical
    /// equivalence.
    package func matches(_ text: String) -> Bool {
        mode == .text ? matchesName(Array(text)) : matchesPath(text)
    }

    /// Whether a pattern of names matches a text that is split into characters once, to be tried
    /// with many patterns.
    func matchesName(_ text: [Character]) -> Bool { taken(of: text) != nil }

    /// Returns the texts that the wildcards `*` and `?` of a pattern of names match, in their
    /// order, or `nil` if the pattern does not match.
    ///
    /// Each star but the last matches as little as possible.
    package func taken(of text: String) -> [String]? {
        let characters = Array(text)
        return taken(of: characters)?.map { String(characters[$0]) }
    }

    private func taken(of text: [Character]) -> [Range<Int>]? {
        var (token, place) = (0, 0)
        var taken: [Range<Int>] = []
        // Only the last star is tried again: it can match anything that an earlier one could.
        var star: (token: Int, wildcard: Int)?
        while place < text.count {
            if token < tokens.count, tokens[token] == .run {
                token += 1
                star = (token, taken.count)
                taken.append(place..<place)
            } else if token < tokens.count, takes(tokens[token], text[place]) {
                if tokens[token] == .one { taken.append(place..<place + 1) }
                token += 1
                place += 1
            } else if let star {
                taken.removeLast(taken.count - 1 - star.wildcard)
                let run = taken[star.wildcard]
                taken[star.wildcard] = run.lowerBound..<run.upperBound + 1
                (token, place) = (star.token, run.upperBound + 1)
            } else {
                return nil
            }
        }
        guard tokens[token...].allSatisfy({ $0 == .run }) else { return nil }
        return taken + tokens[token...].map { _ in place..<place }
    }

    /// The wildcards `*` and `?` of a pattern of names, in their order.
    package var wildcards: [Token] { tokens.filter { $0 == .one || $0 == .run } }

    /// Returns the text of a pattern of names with `parts` in the place of its wildcards, one for
    /// each.
    package func text(with parts: [String]) -> String {
        var rest = parts[...]
        return tokens.reduce(into: "") { text, token in
            if case .literal(let character) = token {
                text.append(character)
            } else {
                text += rest.popFirst() ?? ""
            }
        }
    }

    private func takes(_ token: Token, _ letter: Character) -> Bool {
        if case .literal(let expected) = token { expected == letter } else { token == .one }
    }

    private func matchesPath(_ text: String) -> Bool {
        var states = reached(from: [0], atComponentStart: true)
        for character in text {
            let next = states.flatMap { after($0, character) }
            guard !next.isEmpty else { return false }
            // Compares bytes: the file system sees a slash also if an accent follows it.
            states = reached(from: next, atComponentStart: character.utf8.last == slash)
        }
        return states.contains(tokens.count)
    }

    /// Returns the positions in the pattern that can be reached without another character,
    /// ascending, each once.
    private func reached(from positions: [Int], atComponentStart: Bool) -> [Int] {
        var seen = [Bool](repeating: false, count: tokens.count + 1)
        for position in positions {
            var at = position
            while !seen[at] {
                seen[at] = true
                guard at < tokens.count else { break }
                switch tokens[at] {
                case .run, .deepRun: at += 1
                case .folders where atComponentStart: at += 1
                case .literal, .one, .folders: break
                }
            }
        }
        return seen.indices.filter { seen[$0] }
    }

    private func after(_ position: Int, _ character: Character) -> [Int] {
        guard position < tokens.count else { return [] }
        let inComponent = !character.utf8.contains(slash)
        switch tokens[position] {
        case .literal(let expected): return expected == character ? [position + 1] : []
        case .one: return inComponent ? [position + 1] : []
        case .run: return inComponent ? [position] : []
        case .deepRun, .folders: return [position]
        }
    }

    /// Returns the pattern of names that matches only `name`.
    package static func only(_ name: String) -> String {
        name.reduce(into: "") { pattern, character in
            if special.contains(character) { pattern.append("\\") }
            pattern.append(character)
        }
    }

    private static let special: Set<Character> = ["*", "?", "\\"]

    private static func textTokens(_ pattern: String) -> [Token] {
        var tokens: [Token] = []
        var rest = pattern[...]
        while let character = rest.popFirst() {
            switch character {
            case "*": tokens.append(.run)
            case "?": tokens.append(.one)
            case "\\": tokens.append(.literal(rest.popFirst() ?? character))
            default: tokens.append(.literal(character))
            }
        }
        return tokens
    }

    /// Parses a pattern of paths into tokens, or a part of a pattern that begins within a
    /// component.
    package static func pathTokens(
        _ pattern: String,
        atComponentStart: Bool = true
    ) -> [Token] {
        var tokens: [Token] = []
        var rest = pattern[...]
        var atComponentStart = atComponentStart
        while let character = rest.first {
            if atComponentStart, rest.hasPrefix("**/") {
                tokens.append(.folders)
                rest = rest.dropFirst(3)
                continue
            }
            atComponentStart = character == "/"
            if rest.hasPrefix("**") {
                tokens.append(.deepRun)
                rest = rest.drop { $0 == "*" }
                continue
            }
            tokens.append(character == "*" ? .run : character == "?" ? .one : .literal(character))
            rest = rest.dropFirst()
        }
        return tokens
    }
}
