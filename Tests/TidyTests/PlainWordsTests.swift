// Tests that comments are understood at first reading: they open with a verb or a noun, and name
// the part of the program that acts, which is no person.
import Testing

@Suite("Plain words")
struct PlainWordsTests {
    private static let openings: Set<Substring> = [
        "What", "Who", "Whoever", "Whom", "Whose", "Where", "As", "How", "Whatever",
    ]
    private static let people: Set<Substring> = [
        "nobody", "whoever", "whom", "somebody", "anybody",
    ]
    /// Pairs of words: each first with each second.
    private static let pairs: [(first: Set<Substring>, second: Set<Substring>)] = [
        (
            ["who"],
            [
                "wait", "waits", "ask", "asks", "has", "is", "does", "leads", "calls", "reads",
                "gets",
            ]
        ),
        (["is", "are", "was", "were", "be"], ["said", "told", "asked", "heard", "spoken"]),
    ]

    /// Returns the advice for a comment, or `nil` if it is plain.
    private static func advice(_ text: Substring) -> String? {
        let words = text.split { !$0.isLetter && $0 != "`" && $0 != "-" }
        if let first = words.first, text.hasPrefix(first), openings.contains(first),
            text.last != "?"
        {
            return "open with a verb (\"Returns …\") or a noun; a condition is \"if\""
        }
        if words.contains(where: { people.contains(Substring($0.lowercased())) }) {
            return "name the part of the program, or the user"
        }
        for (first, second) in zip(words, words.dropFirst()) {
            for pair in pairs where pair.first.contains(first) && pair.second.contains(second) {
                return "name the part that acts, with an active verb"
            }
        }
        return nil
    }

    /// Returns the comment lines of a file with their numbers; lines between `"""` are no comments.
    private static func comments(_ file: RepositoryFile) -> [(line: Int, text: Substring)] {
        var isText = false
        var found: [(line: Int, text: Substring)] = []
        for (index, line) in file.lines.enumerated() {
            let trimmed = line.drop { $0 == " " }
            if !isText, trimmed.hasPrefix("//") {
                found.append((index + 1, trimmed.drop { $0 == "/" }.drop { $0 == " " }))
            } else if line.split(separator: "\"\"\"", omittingEmptySubsequences: false).count == 2 {
                isText.toggle()
            }
        }
        return found
    }

    @Test("comments open with a verb or a noun, and programs are no people")
    func plain() {
        for file in Repository.swift(in: "Sources") + Repository.swift(in: "Tests") {
            for (line, text) in Self.comments(file) {
                guard let advice = Self.advice(text) else { continue }
                Issue.record("\(file.path):\(line): \"\(text)\": \(advice)")
            }
        }
    }

    @Test(
        "riddles are found, and plain comments pass",
        arguments: [
            ("What waits for each other.", false), ("The key of a queue.", true),
            ("Empty if nobody asked.", false), ("What is it?", true),
            ("Called by the one who waits.", false), ("The users who wrote it.", true),
            ("The name is told once.", false), ("Returns the name.", true),
        ] as [(Substring, Bool)]
    )
    func examples(text: Substring, isPlain: Bool) {
        #expect((Self.advice(text) == nil) == isPlain)
    }
}
