import FarmCore
import Foundation
import Testing

@testable import FarmDrivers

@Suite("JUnit files")
struct JUnitFileTests {
    private func read(_ text: String) throws(JUnitError) -> JUnitResults {
        try JUnitFile.parse(Data(text.utf8)) { true } ?? JUnitResults(cases: [])
    }

    private func parse(_ text: String) throws(JUnitError) -> [JUnitCase] { try read(text).cases }

    @Test("cases carry names, times, endings and the end of their output")
    func cases() throws {
        let cases = try parse(
            """
            <?xml version="1.0" encoding="utf-8"?>
            <!-- by hand --> <testsuites><testsuite name="s" file="s.rb">
            <testcase classname="A" name="ok &amp; well" time="1,234.5"/>
            <testcase classname="A" name="bad" time="x" file="a.rb">
              <failure message="left &lt; right">trace 1</failure>
              <error message="then this"/><system-out><![CDATA[<!DOCTYPE html>]]></system-out>
            </testcase>
            <testcase classname="A" name="off"><skipped message="later"/></testcase>
            <testcase name="off2"><skipped>because</skipped></testcase>
            </testsuite></testsuites>
            """
        )
        #expect(
            cases == [
                JUnitCase(name: "ok & well", className: "A", file: "s.rb", seconds: 1234.5),
                JUnitCase(
                    name: "bad",
                    className: "A",
                    file: "a.rb",
                    ending: .failed("left < right\ntrace 1\nthen this"),
                    failures: [
                        TestFailure("left < right", detail: "trace 1"), TestFailure("then this"),
                    ],
                    output: "<!DOCTYPE html>"
                ),
                JUnitCase(name: "off", className: "A", file: "s.rb", ending: .skipped("later")),
                JUnitCase(name: "off2", file: "s.rb", ending: .skipped("because")),
            ]
        )
    }

    @Test(
        "a file that is hostile or no JUnit is refused",
        arguments: [
            ("<!DOCTYPE x [<!ENTITY a \"b\">]><testsuite/>", "it has a document type"),
            (
                "<?xml version=\"1.0\"?><!-- x --><!DOCTYPE x SYSTEM \"file:///etc/passwd\"><a/>",
                "it has a document type"
            ),
            ("{}", "it is not XML"),
            ("<html></html>", "it has neither <testsuites> nor <testsuite>"),
            (String(repeating: "<testsuite>", count: 100), "it is nested deeper than 64"),
        ]
    )
    func refused(text: String, reason: String) {
        #expect(throws: JUnitError.self) { try parse(text) }
        do { _ = try parse(text) } catch { #expect(error.reason == reason) }
    }

    @Test(
        "a file that breaks off counts up to its last whole case, wherever it does",
        arguments: [
            ("", "it is empty", []), ("<?xml vers", Self.broken(1), []),
            ("<testsuites><testsuite name=\"s\" failures=\"2\">\n", Self.broken(2), []),
            ("<testsuite>\n<testcase name=\"a\"/><testcase na", Self.broken(2), ["a"]),
            ("<testsuite><testcase name=\"a\"/><testcase name=\"b\"><fail", Self.broken(1), ["a"]),
            ("<testsuite><testcase name=\"a\"></testcase>", Self.broken(1), ["a"]),
            ("<testsuite><testcase name=\"a\"/></testcase><b/>", Self.broken(1), ["a"]),
            ("<testsuite><testcase name=\"a\"/></testsuite><testsuite/>", Self.broken(1), ["a"]),
            ("<testsuite><testcase name=\"a\"/><testcase name=\"\u{E9}", Self.broken(1), ["a"]),
        ]
    )
    func cutOff(text: String, reason: String, names: [String]) throws {
        let results = try read(text)
        #expect(results.cases == names.map { JUnitCase(name: $0) })
        #expect(results.cutOff == reason)
    }

    private static func broken(_ line: Int) -> String {
        "it breaks off or is not XML at line \(line)"
    }

    @Test("a case that a file without an end has whole keeps its failure, and a suite its own")
    func cutOffFailures() throws {
        let cases = try parse(
            "<testsuites><testsuite name=\"s\"><testcase name=\"a\"/></testsuite>"
                + "<testsuite name=\"t\"><testcase name=\"b\"><failure message=\"no\"/></testcase>"
                + "<testcase name=\"c\"/><error message=\"gone\"/><testcase"
        )
        #expect(
            cases.prefix(3).map(\.ending) == [
                .passed, .failed("no"), .failed("the suite t failed: gone"),
            ]
        )
    }

    @Test(
        "an entry is found under every spelling in use",
        arguments: [
            ("pkg.Class.test", JUnitCase(name: "test", className: "pkg.Class")),
            ("Class::test", JUnitCase(name: "test", className: "Class")),
            ("Class/test", JUnitCase(name: "test", className: "Class")),
            ("Class#test", JUnitCase(name: "test", className: "Class")),
            ("test", JUnitCase(name: "test", className: "Class")),
            ("top level", JUnitCase(name: " top level\n")),
            ("Class.test", JUnitCase(name: "test ", className: " Class")),
            ("p.C.test", JUnitCase(name: "test{File}[1]", className: "p.C")),
            ("p.C.test", JUnitCase(name: "test(String, int)[2]", className: "p.C")),
            ("p.C.test", JUnitCase(name: "test()", className: "p.C")),
            ("p.C#test", JUnitCase(name: "test[1]", className: "p.C")),
            ("p.C.test[1]", JUnitCase(name: "test[1](a/b)", className: "p.C")),
            ("TestAdd", JUnitCase(name: "TestAdd/negative", className: "sums")),
            ("t/test_x.py::test_a", JUnitCase(name: "test_a[a.b/c]", className: "t.test_x")),
            ("spec/a.rb::test", JUnitCase(name: "test", className: "C", file: "spec/a.rb")),
            (
                "tests/test_x.py::test_a[p-1]",
                JUnitCase(name: "test_a[p-1]", className: "tests.test_x")
            ),
            ("test_x.py::test_a", JUnitCase(name: "test_a", className: "test_x")),
            // A combining accent must not hide a dot, slash or file extension.
            ("t/\u{301}x.py::\u{301}A::a", JUnitCase(name: "a", className: "t.\u{301}x.\u{301}A")),
            (
                "t/\u{301}x.y\u{600}.py::\u{301}A::a",
                JUnitCase(
                    name: "a",
                    className: "t.\u{301}x.y\u{600}.\u{301}A",
                    file: "t/\u{301}x.y\u{600}.py"
                )
            ),
            (
                "tests/test_x.py::TestY::TestZ::test_a[a.b/c]",
                JUnitCase(name: "test_a[a.b/c]", className: "tests.test_x.TestY.TestZ")
            ),
            (
                "t/test-odd.name.py::TestY::test_a",
                JUnitCase(
                    name: "test_a",
                    className: "t.test-odd.name.TestY",
                    file: "t/test-odd.name.py"
                )
            ),
        ]
    )
    func spellings(test: String, entry: JUnitCase) {
        let leased = [TestID("other"), TestID(test)]
        #expect(JUnitMatch.assign([entry], to: leased) { true }?.entries == [TestID(test): [entry]])
    }

    @Test("the most specific spelling wins, and of other entries those that did not pass are kept")
    func specific() {
        let entries = [
            JUnitCase(name: "test", className: "A"), JUnitCase(name: "test", className: "B"),
            JUnitCase(name: "stranger", className: "A"),
            JUnitCase(name: "stranger", className: "B", ending: .failed("no")),
            JUnitCase(name: "test[1]", className: "C"), JUnitCase(name: "test (2)", className: "C"),
        ]
        let tests = ["A.test", "B.test", "test", "C.test[1]", "C.test"].map { TestID($0) }
        let found = JUnitMatch.assign(entries, to: tests) { true }
        #expect(
            found?.entries == [
                tests[0]: [entries[0]], tests[1]: [entries[1]], tests[3]: [entries[4]],
            ]
        )
        #expect(found?.others == [entries[3]])
    }

    @Test("a failure without a message is its text, and those left out are not forgotten")
    func failures() throws {
        let cases = try parse(
            """
            <testsuite><testcase name="a"><failure type="T">said</failure><error/></testcase>
            <testcase name="b">\(String(repeating: "<failure message=\"m\"/>", count: 100))
            </testcase></testsuite>
            """
        )
        #expect(cases.first?.failures == [TestFailure("said"), TestFailure("")])
        let many = try #require(cases.last).failures
        #expect(many.count == FarmLimits.failuresPerTestMax + 1)
        #expect(many.first == TestFailure("m") && many.last == TestFailure(""))
    }

    @Test("of several entries of one test the worst counts, and every failure is told")
    func worst() {
        func ending(_ endings: [JUnitCase.Ending]) -> TestEnding {
            JUnitMatch.result(
                of: TestID("t"),
                endings.map { JUnitCase(name: "t", seconds: 1, ending: $0) }
            ).ending
        }
        #expect(ending([.passed, .skipped("x")]) == .passed)
        #expect(ending([.skipped("x"), .skipped("y")]) == .skipped("x"))
        #expect(ending([.failed("1")]) == .failed("1"))
        #expect(
            ending([.failed("1"), .passed, .failed("2")])
                == .failed("2 of 3 failed (run 1, run 3): 1\n2")
        )
        let one = JUnitCase(name: "t", ending: .failed("1"), failures: [TestFailure("one")])
        let two = JUnitCase(name: "t[2]", ending: .failed("2"))
        let result = JUnitMatch.result(of: TestID("t"), [one, two, JUnitCase(name: "t[3]")])
        #expect(result.failures == [TestFailure("one"), TestFailure("2")])
        #expect(result.ending == .failed("2 of 3 failed (t, t[2]): 1\n2"))
    }
}
