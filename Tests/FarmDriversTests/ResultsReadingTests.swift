// Tests of reading results files of many programs as endings of a lease's tests.
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

@Suite("results of many makers")
struct ResultsReadingTests {
    private func read(_ texts: [String], of tests: [String]) throws -> ResultsReading {
        let folder = try TemporaryFolder()
        let names = texts.indices.map { "\($0).xml" }
        for (name, text) in zip(names, texts) { try folder.write(name, text) }
        return ResultsReading(names, in: folder.path, of: tests.map { TestID($0) }) { true }
    }

    private func endings(_ text: String, of tests: [String]) throws -> [TestEnding?] {
        let results = try read([text], of: tests).results
        return tests.map { results[TestID($0)]?.ending }
    }

    @Test(
        "what says that it failed is not green, whether or not a failure stands in it",
        arguments: [
            "<testcase name=\"a\" status=\"failed\"/>", "<testcase name=\"a\" result=\"Failed\"/>",
            "<testcase name=\"a\" status=\"run\" result=\"interrupted\"/>",
            "<testcase name=\"a\" status=\"Timed Out\"><skipped/></testcase>",
            "<testcase name=\"a\" status=\"passed\"><error/></testcase>",
            "<testcase name=\"a\"><skipped/><failure/></testcase>",
            "<testcase name=\"a\"/><error message=\"no module\"/>",
            "<failure>hook</failure><testcase name=\"a\"/>",
            "<testsuite name=\"in\" errors=\"1\"><testcase name=\"a\"/></testsuite>",
        ]
    )
    func failing(inside: String) throws {
        let ending = try #require(
            try endings("<testsuite name=\"s\">\(inside)</testsuite>", of: ["a"])[0]
        )
        #expect(ending.word == "failed")
    }

    @Test(
        "what says that it did not run is skipped, and other words say nothing",
        arguments: [
            ("status=\"notrun\" result=\"suppressed\"", TestEnding.skipped("notrun")),
            ("status=\"run\" result=\"skipped\"", .skipped("skipped")),
            ("status=\"disabled\"", .skipped("disabled")),
            ("result=\"Ignored\"", .skipped("Ignored")),
            ("status=\"run\" result=\"completed\"", .passed), ("status=\"3 assertions\"", .passed),
        ]
    )
    func skipping(attributes: String, ending: TestEnding) throws {
        let text = "<testsuite failures=\"0\"><testcase name=\"a\" \(attributes)/></testsuite>"
        #expect(try endings(text, of: ["a"]) == [ending])
    }

    @Test("counts that the cases do not bear out make none of them green; each failure counts once")
    func counts() throws {
        let failed = "<failure/>"
        func words(_ suite: String, _ inside: String) throws -> [String?] {
            try endings(
                "<testsuites><testsuite \(suite)>\(inside)</testsuite></testsuites>",
                of: ["a", "b"]
            )
            .map { $0?.word }
        }
        let one = "<testcase name=\"a\">\(failed)</testcase><testcase name=\"b\"/>"
        let many =
            "<testcase name=\"a\">\(failed)\(failed)\(failed)</testcase><testcase name=\"b\"/>"
        #expect(try words("failures=\"1\" errors=\"0\"", one) == ["failed", "passed"])
        #expect(try words("failures=\"1\" errors=\"1\"", one) == ["failed", "failed"])
        #expect(try words("failures=\"0\"", one) == ["failed", "passed"])
        // Some programs count every failure of a case.
        #expect(try words("failures=\"3\"", many) == ["failed", "passed"])
        #expect(try words("failures=\"1\"", many) == ["failed", "passed"])
        #expect(try words("failures=\"x\" errors=\"-7\"", one) == ["failed", "passed"])
        // The file's total is explained by the suite that has the same count.
        let whole =
            "<testsuites failures=\"2\"><testsuite failures=\"2\"><testcase name=\"a\"/></testsuite>"
            + "<testsuite><testcase name=\"b\"/></testsuite></testsuites>"
        #expect(try endings(whole, of: ["a", "b"]).map { $0?.word } == ["failed", "passed"])
    }

    @Test("a suite's own failure is the words of its cases and of its class's tests without one")
    func suiteFailure() throws {
        let text =
            "<testsuites><testsuite name=\"p.BarTest\" errors=\"1\"><error message=\"no './gone'\"/>"
            + "<testcase classname=\"p.BarTest\" name=\"a\"/></testsuite>"
            + "<testsuite name=\"p.Other\"><testcase classname=\"p.Other\" name=\"c\"/></testsuite>"
            + "</testsuites>"
        let endings = try endings(text, of: ["p.BarTest.a", "p.BarTest.b", "p.Other.c"])
        #expect(endings[1] == .failed("the suite p.BarTest failed: no './gone'"))
        #expect(endings[0] == endings[1])
        #expect(endings[2] == .passed)
    }

    @Test(
        "a class's entry speaks for its tests, by whatever name its program gives it",
        arguments: [
            ("classname=\"p.ATest\" name=\"\"", "p.ATest.a"),
            ("classname=\"p.ATest\" name=\"p.ATest\"", "p.ATest.a"),
            ("classname=\"p.ATest\" name=\"ATest\"", "p.ATest#a"),
            ("classname=\"p.ATest\" name=\"initializationError\"", "p.ATest$Inner.a"),
            ("classname=\"p.ATest\" name=\"classMethod\"", "p.ATest.a[1]"),
            ("classname=\"\" name=\"t.test_b\"", "t/test_b.py::test_two"),
            ("classname=\"t.test_b\" name=\"TestC\"", "t/test_b.py::TestC::test_two"),
            ("classname=\"src/a.test.ts\" name=\"src/a.test.ts\"", "src/a.test.ts > sums"),
            ("file=\"spec/a.rb\" name=\"\"", "spec/a.rb::sums"),
            (
                "classname=\"unittest.suite._ErrorHolder\" name=\"setUpClass (t.test_x.TestY)\"",
                "t.test_x.TestY.test_a"
            ),
        ]
    )
    func classes(attributes: String, test: String) throws {
        func ending(_ inside: String) throws -> TestEnding? {
            let entry = "<testcase \(attributes)>\(inside)</testcase>"
            let results = try read(["<testsuite>\(entry)</testsuite>"], of: [test, "q.Other.a"])
                .results
            #expect(results[TestID("q.Other.a")] == nil)
            return results[TestID(test)]?.ending
        }
        #expect(
            try ending("<failure message=\"database is down\"/>") == .failed("database is down")
        )
        #expect(try ending("<skipped message=\"not here\"/>") == .skipped("not here"))
        #expect(try ending("") == nil)
    }

    @Test("a class that failed makes its tests red, and one that was left out not those that ran")
    func classBesideTests() throws {
        func endings(_ ofClass: String) throws -> [TestEnding?] {
            try self.endings(
                "<testsuite><testcase classname=\"A\" name=\"a\"/><testcase classname=\"A\" name=\"\">"
                    + "\(ofClass)</testcase></testsuite>",
                of: ["A.a", "A.b"]
            )
        }
        #expect(
            try endings("<failure message=\"no end\"/>") == [
                .failed("1 of 2 failed (A): no end"), .failed("no end"),
            ]
        )
        #expect(try endings("<skipped message=\"rest\"/>") == [.passed, .skipped("rest")])
    }

    @Test("every run below a test's name must pass, and those that failed are listed")
    func below() throws {
        let text =
            "<testsuite><testcase classname=\"A\" name=\"a(int)[1]\"/><testcase classname=\"A\" "
            + "name=\"a(int)[2]\"><failure message=\"two\"/></testcase>"
            + "<testcase classname=\"A\" name=\"b\"/><testcase classname=\"A\" name=\"b\">"
            + "<failure message=\"again\"/></testcase>"
            + "<testcase classname=\"A\" name=\"c{int}[1]\"/><testcase classname=\"A\" "
            + "name=\"c{int}[2]\"><skipped/></testcase></testsuite>"
        #expect(
            try endings(text, of: ["A.a", "A.b", "A.c"]) == [
                .failed("1 of 2 failed (a(int)[2]): two"), .failed("1 of 2 failed (run 2): again"),
                .passed,
            ]
        )
    }

    @Test("a test without a result is given the failure beside it, and one of another class is not")
    func causes() throws {
        let reading = try read(
            [
                "<testsuite><testcase classname=\"p.A\" name=\"setUp\"><error message=\"no port\"/>"
                    + "</testcase></testsuite>",
                "<testsuite><testcase classname=\"p.B\" name=\"b\"/></testsuite>",
            ],
            of: ["p.A.a", "p.B.b", "p.C.c"]
        )
        #expect(reading.results.keys.map(\.text) == ["p.B.b"])
        #expect(reading.causes.keys.map(\.text) == ["p.A.a"])
        #expect(reading.causes.values.first?.message.contains("setUp failed: no port") == true)
    }

    @Test(
        "a file without an end explains why a process left with an error, unless it has all tests"
    )
    func cutOff() throws {
        let text = "<testsuite><testcase name=\"a\"/><testcase name"
        let some = try read([text], of: ["a", "b"])
        #expect(some.results[TestID("a")]?.ending == .passed)
        #expect(some.cutOff?.message.contains("0.xml") == true)
        #expect(some.explainsError && some.problem == nil)
        #expect(try !read([text], of: ["a"]).explainsError)
    }

    @Test("a class or a file that is one test owns the entries in it, all of which must pass")
    func units() throws {
        let text =
            "<testsuite><testcase classname=\"p.A\" name=\"a\"/><testcase classname=\"p.A$In\" name=\"b\">"
            + "<failure message=\"no\"/></testcase><testcase classname=\"t.test_x.C\" name=\"a\"/>"
            + "<testcase classname=\"group\" file=\"src/a.test.js\" name=\"adds\"/>"
            + "<testcase classname=\"p.B\" name=\"a\"/></testsuite>"
        #expect(
            try endings(text, of: ["p.A", "t/test_x.py", "src/a.test.js", "p.C", "..."]) == [
                .failed("1 of 2 failed (b): no"), .passed, .passed, nil, nil,
            ]
        )
    }

    @Test("parts in a file without an end are no pass of the whole, a failure among them is one")
    func openParts() throws {
        func words(_ more: String) throws -> [String?] {
            let text =
                "<testsuite><testcase classname=\"A\" name=\"a[1]\"/>"
                + "<testcase classname=\"A\" name=\"b[1]\"><error/></testcase>\(more)<testcase"
            return try endings(text, of: ["A.a", "A.b"]).map { $0?.word }
        }
        #expect(try words("") == [nil, "failed"])
        #expect(try words("<testcase classname=\"A\" name=\"a\"/>") == ["passed", "failed"])
    }

    @Test("thousands of entries of one class take no more than the first of them")
    func manyOfOneClass() throws {
        let entry = "<testcase classname=\"A\" name=\"\"><failure message=\"no\"/></testcase>"
        let tests = (0..<2_000).map { "A.t\($0)" }
        let text = "<testsuite>" + String(repeating: entry, count: 20_000) + "</testsuite>"
        let results = try read([text], of: tests).results
        #expect(results.count == 2_000)
        #expect(results[TestID("A.t7")]?.failures.count == FarmLimits.failuresPerTestMax)
    }
}
