// A rename rule: the old and the new spelling of names that contain what changed, such as
// `{a}-iPhone-15-{b}` and `{a}-iPhone-16-{b}`.
//
// `{word}` stands for one or more characters other than `/`. The rest is literal, and the whole
// name must match. A rule with a `/` matches `<suite>/<name>`, any other only the name. A name may
// match in several ways: a rule only proposes names, and those with a reference count.

/// The reason why a text is not a rename rule.
package enum RenameRuleError: ExplainedError, Equatable {
    case empty
    case brace(String)
    /// Two `{word}`s touch, so the end of the first is ambiguous.
    case touching(String)
    case repeated(String, word: String)
    case unmatched(word: String, in: String)
    case tooLong(bytes: Int)
    case tooManyWords(Int)
    /// The old or the new name contains a `/`, and the other does not.
    case oneSuite(old: String, new: String)

    package var code: String { "rename-rule-invalid" }
    package var exit: ExitCode { .invalidInput }
    package var message: String {
        switch self {
        case .empty: "a rename rule has an empty side."
        case .brace(let text): "\(text.debugDescription) has a brace that names no word."
        case .touching(let text): "two words of \(text.debugDescription) touch."
        case .repeated(let text, let word): "\(text.debugDescription) names {\(word)} twice."
        case .unmatched(let word, let text): "{\(word)} is not in \(text.debugDescription)."
        case .tooLong(let bytes):
            "a rename rule has \(bytes) bytes, more than \(RenameRule.bytesMax)."
        case .tooManyWords(let count):
            "a rename rule has \(count) words, more than \(RenameRule.wordsMax)."
        case .oneSuite(let old, let new):
            "only one of \(old.debugDescription) and \(new.debugDescription) has a slash."
        }
    }
    package var remedy: String {
        "Write both sides with the same words: {screen}-iPhone-15-{rest}, {screen}-iPhone-16-{rest}."
    }
}

/// A rule that finds the old or new name of a renamed picture.
package struct RenameRule: Hashable, Sendable {
    /// The most bytes of the old or the new side of a rule.
    package static let bytesMax = 1_000
    package static let wordsMax = 8
    /// The most names that the rule proposes for one name.
    package static let proposalsMax = 8
    /// The most positions that are tried for one name, which has at most a few hundred bytes.
    private static let stepsMax = 20_000

    private enum Token: Hashable, Sendable {
        case literal([UInt8])
        case word(String)
    }

    package let old: String
    package let new: String
    /// Whether the rule matches `<suite>/<name>`, and not only the name.
    package let coversSuites: Bool
    private let oldTokens: [Token]
    private let newTokens: [Token]

    package init(old: String, new: String) throws(RenameRuleError) {
        self.old = old
        self.new = new
        oldTokens = try Self.tokens(of: old)
        newTokens = try Self.tokens(of: new)
        coversSuites = old.utf8.contains(UInt8(ascii: "/"))
        guard coversSuites == new.utf8.contains(UInt8(ascii: "/")) else {
            throw .oneSuite(old: old, new: new)
        }
        try Self.check(oldTokens, areIn: newTokens, text: new)
        try Self.check(newTokens, areIn: oldTokens, text: old)
    }

    /// Returns the names that a picture may have had before the renaming.
    package func before(_ id: SnapshotID) -> [SnapshotID] {
        renamed(id, from: newTokens, to: oldTokens)
    }

    /// Returns the names that a picture may have after the renaming.
    package func after(_ id: SnapshotID) -> [SnapshotID] {
        renamed(id, from: oldTokens, to: newTokens)
    }

    // MARK: reading

    private static func tokens(of text: String) throws(RenameRuleError) -> [Token] {
        guard !text.isEmpty else { throw .empty }
        guard text.utf8.count <= bytesMax else { throw .tooLong(bytes: text.utf8.count) }
        var tokens: [Token] = []
        var words: Set<String> = []
        var literal: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte != UInt8(ascii: "}") else { throw .brace(text) }
            guard byte == UInt8(ascii: "{") else {
                literal.append(byte)
                continue
            }
            guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else { throw .brace(text) }
            let word = String(decoding: rest[..<end], as: UTF8.self)
            guard !word.isEmpty, word.allSatisfy({ $0.isLetter || $0.isNumber }) else {
                throw .brace(text)
            }
            guard words.insert(word).inserted else { throw .repeated(text, word: word) }
            if literal.isEmpty, !tokens.isEmpty { throw .touching(text) }
            if !literal.isEmpty { tokens.append(.literal(literal)) }
            tokens.append(.word(word))
            literal = []
            rest = rest[(end + 1)...]
        }
        if !literal.isEmpty { tokens.append(.literal(literal)) }
        guard words.count <= wordsMax else { throw .tooManyWords(words.count) }
        return tokens
    }

    private static func check(
        _ tokens: [Token],
        areIn others: [Token],
        text: String
    ) throws(RenameRuleError) {
        for case .word(let word) in tokens where !others.contains(.word(word)) {
            throw .unmatched(word: word, in: text)
        }
    }

    // MARK: matching

    private func renamed(_ id: SnapshotID, from: [Token], to: [Token]) -> [SnapshotID] {
        let text = coversSuites ? "\(id.suite)/\(id.name)" : id.name
        var search = Search(text: Array(text.utf8), stepsLeft: Self.stepsMax)
        search.match(from[...], at: 0, words: [:])
        var proposals: [SnapshotID] = []
        for words in search.found {
            let bytes = to.flatMap { token in
                switch token {
                case .literal(let bytes): bytes
                case .word(let word): words[word] ?? []
                }
            }
            let name = String(decoding: bytes, as: UTF8.self)
            let place = coversSuites ? name : "\(id.suite)/\(name)"
            if let other = Self.id(id.cell, place), other != id, !proposals.contains(other) {
                proposals.append(other)
            }
        }
        return proposals
    }

    private static func id(_ cell: CellID, _ place: String) -> SnapshotID? {
        let slash = UInt8(ascii: "/")
        let parts = place.utf8.split(separator: slash, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard parts.count > 1, let name = parts.last else { return nil }
        let suite = parts.dropLast().joined(separator: "/")
        return try? SnapshotID(cell: cell, suite: suite, name: name)
    }

    /// A search for the first ways in which a name matches, the shortest first words first.
    private struct Search {
        let text: [UInt8]
        var stepsLeft: Int
        var found: [[String: [UInt8]]] = []

        mutating func match(_ tokens: ArraySlice<Token>, at place: Int, words: [String: [UInt8]]) {
            guard stepsLeft > 0, found.count < RenameRule.proposalsMax else { return }
            stepsLeft -= 1
            guard let token = tokens.first else {
                if place == text.count { found.append(words) }
                return
            }
            switch token {
            case .literal(let bytes):
                guard text[place...].starts(with: bytes) else { return }
                match(tokens.dropFirst(), at: place + bytes.count, words: words)
            case .word(let word):
                // The last word must take the whole rest.
                var end = tokens.count == 1 ? text.count : place + 1
                while end <= text.count, end > place {
                    let taken = text[place..<end]
                    guard !taken.contains(UInt8(ascii: "/")) else { return }
                    var words = words
                    words[word] = Array(taken)
                    match(tokens.dropFirst(), at: end, words: words)
                    end += 1
                }
            }
        }
    }
}

extension RenameRule: Codable {
    private enum CodingKeys: String, CodingKey {
        case from, to
    }

    package func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode(old, forKey: .from)
        try object.encode(new, forKey: .to)
    }

    package init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            old: try object.decode(String.self, forKey: .from),
            new: try object.decode(String.self, forKey: .to)
        )
    }
}
