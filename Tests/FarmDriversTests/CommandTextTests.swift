// Tests of parsing lists of tests, command lines and JUnit files.
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

@Suite("lists of test cases")
struct TestListTests {
    @Test("one test per line; CR, blank lines and spaces at the ends do not count; names are NFC")
    func lines() throws {
        let tests = try TestList.parse(Array("a\r\n\n  b c \ncafe\u{301}\n\t\nlast".utf8))
        #expect(
            tests.map { Array($0.text.utf8) }
                == ["a", "b c", "caf\u{E9}", "last"].map { Array($0.utf8) }
        )
        #expect(try TestList.parse([]) == [])
    }

    @Test("test cases that are listed twice are named, also when only their spelling differs")
    func duplicates() {
        #expect(throws: DriverError.duplicateTests(["a", "caf\u{E9}"])) {
            try TestList.parse(Array("caf\u{E9}\na\nb\na\na\ncafe\u{301}\n".utf8))
        }
    }

    @Test("a line that cannot be a test case is refused by its number")
    func refused() {
        let long = String(repeating: "x", count: FarmLimits.testIDBytesMax + 1)
        #expect(throws: DriverError.self) { try TestList.parse(Array("a\n\(long)\n".utf8)) }
        func refusal(_ bytes: [UInt8]) -> String? {
            do { _ = try TestList.parse(bytes) } catch { return error.message }
            return nil
        }
        #expect(
            refusal(Array("a\nb".utf8) + [0xFF])
                == "line 2 of the list of test cases is not UTF-8: \"b\u{FFFD}\""
        )
        #expect(
            refusal(Array("a\u{1B}[0m\n".utf8))
                == #"line 1 of the list of test cases holds a control character: "a\u{1B}[0m""#
        )
    }

    @Test(
        "the total at the end of pytest's list is compared with the list, and is no test",
        arguments: [
            ("t.py::a\nt.py::b\n\n2 tests collected in 0.01s\n", 2),
            ("t.py::a\n\n1 test collected in 12.30s\n", 1),
            ("t.py::a\n\n1/3 tests collected (2 deselected) in 0.01s\n", 1),
            ("t.py::a\n\n1 test collected in 75.00s (0:01:15)\n", 1),
            ("t.py::a\n\n2 tests collected in 0.01s\n", nil),
            ("t.py::a\nt.py::b\nwarnings summary\n\n2 tests collected in 0.01s\n", nil),
            ("2 tests collected in 0.01s\nt.py::a\n", 2), ("2 tests collected\n", 1),
        ] as [(String, Int?)]
    )
    func total(list: String, count: Int?) {
        #expect((try? TestList.parse(Array(list.utf8)))?.count == count)
    }
}

@Suite("tests that an output names")
struct NamedInOutputTests {
    private static let tests = [
        "a.b", "a.b.c", "f", "f()", "tests/test_x.py::test_a[1]", "./run", "-n", "two words",
        "it's", "日本/試験", "::",
    ].map { TestID($0) }

    private func mentioned(_ output: String, pieceBytes: Int = .max) -> [String] {
        var mentioned = MentionedTests(Self.tests)
        var rest = Array(output.utf8)[...]
        var found: [String] = []
        while !rest.isEmpty {
            let piece = rest.prefix(pieceBytes)
            found += mentioned.feed(Array(piece)).map(\.text)
            rest = rest.dropFirst(piece.count)
        }
        return found
    }

    @Test(
        "a whole word is a name, whatever punctuation stands around it",
        arguments: [
            ("a.b\n", ["a.b"]), ("run a.b now\n", ["a.b"]), ("\t\"a.b\",\r\n", ["a.b"]),
            ("(a.b): 'a.b.c'.\n", ["a.b", "a.b.c"]), ("a.bc xa.b a.b-c\n", []),
            ("f() f()\n", ["f()"]), ("f,\n", ["f"]), ("f(x)\n", []),
            ("tests/test_x.py::test_a[1] PASSED\n", ["tests/test_x.py::test_a[1]"]),
            ("tests/test_x.py::test_a[2] PASSED\n", []), ("./run run -n\n", ["./run", "-n"]),
            ("two words\n", []), ("it's its\n", ["it's"]), ("日本/試験 ok\n", ["日本/試験"]),
            (":: ... \n", []), ("\u{1B}a.b\u{7}", ["a.b"]),
        ] as [(String, [String])]
    )
    func words(output: String, tests: [String]) {
        #expect(mentioned(output) == tests)
        #expect(mentioned(output, pieceBytes: 1) == tests)
    }

    @Test("each test is named once, a word that has not ended is none, and a long one is skipped")
    func limits() {
        #expect(mentioned("a.b a.b\na.b\n") == ["a.b"])
        #expect(mentioned("a.b") == [])
        let long = String(repeating: "x", count: 1 << 20)
        #expect(mentioned("\(long)\na.b\n", pieceBytes: 4_096) == ["a.b"])
        #expect(mentioned(String(repeating: ".", count: 1_000) + "a.b\n") == [])
    }

    @Test("the framework's words stand where the command asks for them, each one word")
    func flags() {
        let lines = CommandInvocation.invocations(
            of: "jest {flags} {tests}",
            for: [TestID("a")],
            testsFile: "/t",
            flags: ["--ci", "--out=/a b/{tests}"]
        )
        #expect(lines.map(\.script) == ["jest '--ci' '--out=/a b/{tests}' 'a'"])
        let none = CommandInvocation.invocations(of: "x {flags}", for: [], testsFile: "/t")
        #expect(none.map(\.script) == ["x "])
    }

    @Test("bytes that are no text say nothing")
    func noText() {
        var mentioned = MentionedTests(Self.tests)
        let found = mentioned.feed([0xFF, 0xFE, 0x20, 0, 0x80, 0x0A])
        #expect(found.isEmpty)
    }
}

@Suite("command lines")
struct CommandInvocationTests {
    private func one(_ command: String, _ tests: [String]) throws -> CommandInvocation {
        let all = CommandInvocation.invocations(
            of: command,
            for: tests.map { TestID($0) },
            testsFile: "/l/it's.txt"
        )
        #expect(all.count == 1)
        return try #require(all.first)
    }

    @Test(
        "a test's name is one word for the shell, whatever it holds",
        arguments: [
            "plain", "two words", "it's", "$(reboot)", "`x`", "a\"b", "*", "-n", "日本",
            "it'\u{301}s", "\u{600}'; echo '",
        ]
    )
    func quoting(name: String) throws {
        let line = try one("printf %s {tests}", [name])
        let shell = try TestProcess.run(["/bin/sh", "-c", line.script])
        #expect(shell.output == name)
    }

    @Test("tests are given as words, as a file, or on standard input")
    func ways() throws {
        let words = try one("run {tests} x {tests}", ["a", "b"])
        #expect(words.script == "run 'a' 'b' x 'a' 'b'")
        #expect(words.input == .none)
        #expect(words.testsFile == nil)
        let file = try one("run @{tests-file}", ["a", "b"])
        #expect(file.script == #"run @'/l/it'\''s.txt'"#)
        #expect(file.testsFile == Array("a\nb\n".utf8))
        let stdin = try one("run {other} {}", ["a", "b"])
        #expect(stdin.script == "run {other} {}")
        #expect(stdin.input == .bytes(Array("a\nb\n".utf8)))
    }

    @Test("a test called like a placeholder stays a name")
    func placeholderName() throws {
        #expect(try one("run {tests}", ["{tests-file}"]).script == "run '{tests-file}'")
    }

    @Test("words that do not fit one process are given to several, in order")
    func groups() {
        let tests = ["aa", "bb", "cc", "dd"].map { TestID($0) }
        let all = CommandInvocation.invocations(
            of: "run {tests}",
            for: tests,
            testsFile: "f",
            wordsBytesMax: 10
        )
        #expect(all.map(\.script) == ["run 'aa' 'bb'", "run 'cc' 'dd'"])
        let file = CommandInvocation.invocations(
            of: "run {tests-file}",
            for: tests,
            testsFile: "f",
            wordsBytesMax: 10
        )
        #expect(file.count == 1)
    }

    @Test(
        "only a single word in braces that is near to a placeholder is a misspelt one",
        arguments: [
            ("sh t.sh {test}", "test"), ("{flag} {tests}", "flag"), ("x {TESTS}", "TESTS"),
            ("x {tests_file}", "tests_file"), ("x {tests} {tests-file} {flags}", nil),
            ("x ${test} ${flag}", nil), ("x {test,tests}", nil), ("x { test }", nil),
            ("awk '{print}'", nil), ("x {test", nil), ("{", nil),
        ] as [(String, String?)]
    )
    func misspelt(command: String, word: String?) {
        #expect(MisspeltPlaceholder.first(in: command)?.word == word)
    }
}
