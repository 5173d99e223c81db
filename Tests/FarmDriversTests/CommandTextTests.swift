// Lists of tests, command lines and JUnit files: text in, values out.
import FarmCore
import FarmDrivers
import FarmTesting
import Foundation
import Testing

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
        #expect(throws: DriverError.testUnusable(line: 2, reason: "is not UTF-8")) {
            try TestList.parse(Array("a\n".utf8) + [0xFF, 0xFE])
        }
        #expect(throws: DriverError.testUnusable(line: 1, reason: "holds a control character")) {
            try TestList.parse(Array("a\u{1B}[0m\n".utf8))
        }
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
        arguments: ["plain", "two words", "it's", "$(reboot)", "`x`", "a\"b", "*", "-n", "日本"]
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
}
