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
