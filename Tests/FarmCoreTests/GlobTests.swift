import FarmCore
import FarmTesting
import Testing

@Suite("patterns of names")
struct GlobTests {
    @Test(
        "a backslash takes what follows it literally, and itself at the end",
        arguments: [
            (#"a\*"#, "a*", true), (#"a\*"#, "ab", false), (#"a\?c"#, "abc", false),
            (#"a\\*"#, #"a\b"#, true), (#"a\\"#, #"a\"#, true), (#"a\"#, #"a\"#, true),
            (#"\a*"#, "abc", true), ("a*", "a*", true),
        ]
    )
    func escape(pattern: String, name: String, matches: Bool) {
        #expect(Glob(pattern, mode: .text).matches(name) == matches)
    }

    @Test(
        "each sign of a pattern takes a part of a text that it matches, the earlier ones little",
        arguments: [
            ("*/two", "A/S/two", ["A/S"]), ("a*", "a", [""]), ("*", "", [""]),
            ("**", "ab", ["", "ab"]),
            ("*a*a?", "baacaad", ["b", "aca", "d"]), ("?*?", "abcd", ["a", "bc", "d"]),
            ("*?x*?y", "axbxcy", ["", "a", "bx", "c"]), ("a", "a", []),
        ]
    )
    func taken(pattern: String, text: String, parts: [String]) {
        let glob = Glob(pattern, mode: .text)
        #expect(glob.taken(of: text) == parts)
        #expect(glob.text(with: parts) == text)
    }

    @Test("the pattern made of a name matches that name alone")
    func onlyItsName() {
        var random = SeededGenerator.announced()
        let letters: [Character] = ["a", "b", "*", "?", "\\", "/", "é", "画", "*\u{301}", " ", "'"]
        func name() -> String {
            String(
                (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    letters.randomElement(using: &random) ?? "a"
                }
            )
        }
        for _ in 0..<5_000 {
            let (wanted, other) = (name(), name())
            let glob = Glob(Glob.only(wanted), mode: .text)
            #expect(glob.matches(wanted), "\(wanted.debugDescription)")
            #expect(glob.matches(other) == (wanted == other), "\(wanted) and \(other)")
        }
    }
}
