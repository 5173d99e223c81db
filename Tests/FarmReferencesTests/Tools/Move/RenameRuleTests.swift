import FarmCore
import FarmReferences
import ReferenceTesting
import Testing

@Suite("rename rules")
struct RenameRuleTests {
    @Test(
        "a name is led back to the name it had before",
        arguments: [
            (
                "test_{s}-{c}.{n}", "{s}.{n}-{c}", "S/login.Empty-iPhone-16",
                "S/test_login-iPhone-16.Empty"
            ),
            ("{a}-iPhone-15-{b}", "{a}-iPhone-16-{b}", "S/x-iPhone-16-ja", "S/x-iPhone-15-ja"),
            ("Old/{n}", "New/{n}", "New/one", "Old/one"),
            ("{n}", "{n}@2x", "S/one@2x", "S/one"),
            ("é{n}", "e{n}", "S/e\u{301}", nil),
            ("{a}-b", "{a}-c", "S/x-b", nil),
            ("Old/{n}", "New/{n}", "New/deep/one", nil),
        ]
    )
    func before(old: String, new: String, name: String, expected: String?) throws {
        let rule = try RenameRule(old: old, new: new)
        let found = rule.before(try id("a", name)).map(\.text)
        #expect(found.first == expected.map { "a/\($0)" })
        if let expected {
            #expect(rule.after(try id("a", expected)).map(\.text).contains("a/\(name)"))
        }
    }

    @Test("a name that matches in several ways proposes each of them, within a limit")
    func ambiguous() throws {
        let rule = try RenameRule(old: "{a}_{b}", new: "{a}-{b}")
        let found = rule.before(try id("a", "S/1-2-3")).map(\.name)
        #expect(found == ["1_2-3", "1-2_3"])
        let many = try id("a", "S/" + (0..<30).map(String.init).joined(separator: "-"))
        #expect(rule.before(many).count == RenameRule.proposalsMax)
        let words = "abcdefgh".map { "{\($0)}" }.joined(separator: "-")
        let slow = try RenameRule(old: words + "!", new: words + "?")
        #expect(slow.before(try id("a", "S/" + String(repeating: "-", count: 180))) == [])
    }

    @Test(
        "a text that is not a rule is refused",
        arguments: [
            ("", "x"), ("{a", "{a}"), ("a}", "a"), ("{a}{b}", "{a}-{b}"), ("{a}{a}", "{a}"),
            ("{a}-{a}", "{a}"), ("{a}", "{b}"), ("x", "{b}"), ("{}", "{}"), ("a/{b}", "{b}"),
            ("{a}-{b}-{c}-{d}-{e}-{f}-{g}-{h}-{i}", "{a}"),
            (String(repeating: "x", count: 1_001), "x"),
        ]
    )
    func refused(old: String, new: String) {
        #expect(throws: RenameRuleError.self) { try RenameRule(old: old, new: new) }
    }

    @Test("a rule never leaves the folder of its cell")
    func traversal() throws {
        let rule = try RenameRule(old: "../{n}", new: "S/{n}")
        #expect(rule.before(try id("a", "S/one")) == [])
    }
}
