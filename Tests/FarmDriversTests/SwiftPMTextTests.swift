// Tests of parsing the output of Swift's test frameworks, as recorded from Swift 6.3.1 on Linux.
import FarmCore
import FarmPipeline
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

@Suite("what XCTest prints")
struct XCTestConsoleTests {
    private func read(_ text: String, tests: [String]) -> [ProgramEvent] {
        var console = XCTestConsole(tests: tests.map { TestID($0) })
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .flatMap { console.feed(String($0)) }
    }

    @Test("tests start, pass, fail with their messages, and are skipped with their reason")
    func lines() {
        let events = read(
            """
            Test Suite 'LoginTests' started at 2026-11-21 08:31:59.146
            Test Case 'LoginTests.testPass' started at 2026-11-21 08:31:59.146
            Test Case 'LoginTests.testPass' passed (0.005 seconds)
            Test Case 'LoginTests.testFail' started at 2026-11-21 08:31:59.151
            printed
            /p/X.swift:5: error: LoginTests.testFail : XCTAssertEqual failed: 1 - no
            /p/X.swift:6: error: LoginTests.testFail : failed - second
            line
            Test Case 'LoginTests.testFail' failed (0.25 seconds)
            Test Case 'LoginTests.testSkip' started at 2026-11-21 08:31:59.152
            /p/X.swift:6: LoginTests.testSkip : Test skipped - not today
            Test Case 'LoginTests.testSkip' skipped (0.0 seconds)
            Test Case 'LoginTests.testThrow' started at 2026-11-21 08:31:59.152
            <EXPR>:0: error: LoginTests.testThrow : threw error "E()"
            Test Case 'LoginTests.testThrow' failed (0.002 seconds)
            """,
            tests: ["testPass", "testFail", "testSkip", "testThrow"].map { "XLab.LoginTests/" + $0 }
        )
        let ends = events.compactMap { event -> String? in
            guard case .ended(let test, let ending, let seconds, _, _) = event else { return nil }
            return "\(test) \(seconds) \(ending)"
        }
        #expect(events.count == 8)
        #expect(
            ends == [
                "XLab.LoginTests/testPass 0.005 passed",
                "XLab.LoginTests/testFail 0.25 "
                    + "failed(\"X.swift:5: XCTAssertEqual failed: 1 - no\\n"
                    + "X.swift:6: failed - second\\nline\")",
                "XLab.LoginTests/testSkip 0.0 skipped(\"not today\")",
                "XLab.LoginTests/testThrow 0.002 failed(\"threw error \\\"E()\\\"\")",
            ]
        )
    }

    @Test("each failure is told by itself, what is printed behind it beside it")
    func failures() {
        let recorded = "failed - Record mode is on. Automatically recorded snapshot: …"
        let events = read(
            """
            Test Case 'A.testOne' started at now
            /p/X.swift:5: error: A.testOne : \(recorded)
            open "file:///a.png"
            /p/X.swift:6: error: A.testOne : XCTUnwrap failed: expected non-nil value
            Test Case 'A.testOne' failed (0.1 seconds)
            """,
            tests: ["M.A/testOne"]
        )
        guard case .ended(_, _, _, _, let failures) = events.last else {
            Issue.record("it did not end")
            return
        }
        #expect(
            failures == [
                TestFailure(recorded, detail: "open \"file:///a.png\"\n"),
                TestFailure("XCTUnwrap failed: expected non-nil value"),
            ]
        )
        #expect(!FrameworkCatalog.unnamedWords.recordings.areAll(of: failures))
    }

    @Test("a test cannot end another one by printing, nor hide its own failure")
    func spoofing() {
        let events = read(
            """
            Test Case 'A.testOne' started at now
            Test Case 'A.testTwo' passed (0.0 seconds)
            half a lineTest Case 'A.testOne' passed (0.0 seconds)
            Test Case 'A.testOne' failed (0.1 seconds)
            """,
            tests: ["M.A/testOne", "M.A/testTwo"]
        )
        #expect(
            events == [
                .started(TestID("M.A/testOne")),
                .ended(
                    TestID("M.A/testOne"),
                    .passed,
                    seconds: 0,
                    output: "Test Case 'A.testTwo' passed (0.0 seconds)\n"
                ),
                .ended(
                    TestID("M.A/testOne"),
                    .failed("failed"),
                    seconds: 0.1,
                    output: "Test Case 'A.testTwo' passed (0.0 seconds)\n",
                    failures: [TestFailure("failed")]
                ),
            ]
        )
    }
}

@Suite("Swift Testing's event stream")
struct SwiftTestingEventsTests {
    private func declare(_ id: String, line: Int) -> String {
        """
        {"kind":"test","payload":{"id":"\(id)/S.swift:\(line):4","kind":"function","name":"x",\
        "sourceLocation":{"column":4,"fileID":"Lab/S.swift","filePath":"/S.swift","line":\(line)}},\
        "version":"6.3.0"}
        """
    }

    private func event(_ kind: String, _ id: String?, at: Double = 1, _ more: String = "") -> String
    {
        let test = id.map { ",\"testID\":\"\($0)\"" } ?? ""
        return """
            {"kind":"event","payload":{"instant":{"absolute":\(at),"since1970":0},\
            "kind":"\(kind)"\(test)\(more.isEmpty ? "" : "," + more)},"version":"6.3.0"}
            """
    }

    private func message(_ symbol: String, _ text: String) -> String {
        "\"messages\":[{\"symbol\":\"\(symbol)\",\"text\":\"\(text)\"}]"
    }

    private func issue(known: Bool = false, failure: Bool = true) -> String {
        "\"issue\":{\"isFailure\":\(failure),\"isKnown\":\(known),\"severity\":\"error\","
            + "\"sourceLocation\":{\"column\":2,\"fileID\":\"Lab/S.swift\",\"line\":9}},"
            + message("fail", "Expectation failed")
    }

    private func read(_ lines: [String], attachments: String = "/nowhere") -> [ProgramEvent] {
        var events = SwiftTestingEvents(attachments: attachments)
        return lines.flatMap { events.feed($0) }
    }

    @Test("a line of a list is a test, or says that it is none, or is not understood")
    func listed() {
        func listed(_ line: String) -> SwiftTestingEvents.Listed? {
            SwiftTestingEvents.listed(Data(line.utf8))
        }
        let test = declare("Lab.Card/pass()", line: 7)
        #expect(listed(test) == .test(TestID("Lab.Card/pass()")))
        #expect(listed(test.replacing("function", with: "suite")) == .noTest)
        #expect(listed(event("runStarted", nil)) == .noTest)
        // The place does not match the end of the id, so the name's end cannot be removed.
        #expect(listed(test.replacing("S.swift:7:4", with: "S.swift:8:4")) == nil)
        #expect(listed(test.replacing("function", with: "closure")) == nil)
        #expect(listed(test.replacing("\"id\"", with: "\"name\"")) == nil)
        #expect(listed(String(test.dropLast(9))) == nil)
        #expect(listed("Lab.Card/pass()") == nil)
    }

    @Test("a failing issue fails its test; warnings and known issues do not")
    func issues() {
        let id = "Lab.Suite/a()/S.swift:1:4"
        func ending(_ issue: String?) -> TestEnding? {
            let events = read(
                [declare("Lab.Suite/a()", line: 1), event("testStarted", id, at: 1)]
                    + [issue.map { event("issueRecorded", id, $0) }].compactMap { $0 }
                    + [event("testEnded", id, at: 1.5, message("pass", "ok"))]
            )
            guard case .ended(TestID("Lab.Suite/a()"), let ending, seconds: 0.5, _, _) = events.last
            else { return nil }
            return ending
        }
        #expect(ending(nil) == .passed)
        #expect(ending(issue()) == .failed("S.swift:9:2: Expectation failed"))
        #expect(ending(issue(known: true, failure: false)) == .passed)
        #expect(ending(issue(failure: false)) == .passed)
    }

    @Test("skipped and cancelled tests are skipped with their reason")
    func skips() {
        let id = "Lab.off()/S.swift:1:4"
        let test = TestID("Lab.off()")
        #expect(
            read([
                declare("Lab.off()", line: 1),
                event("testSkipped", id, message("skip", "Test off() skipped: \\\"off today\\\"")),
            ]) == [.ended(test, .skipped("off today"), seconds: 0, output: "")]
        )
        #expect(
            read([
                declare("Lab.off()", line: 1),
                event("testEnded", id, message("skip", "was cancelled after 1 s: \\\"stop\\\"")),
            ]) == [.ended(test, .skipped("stop"), seconds: 0, output: "")]
        )
    }

    @Test("overloads are one test case, which ends with the last and as the worst")
    func overloads() {
        let (one, two) = ("Lab.f(_:)/S.swift:1:4", "Lab.f(_:)/S.swift:2:4")
        let events = read([
            declare("Lab.f(_:)", line: 1), declare("Lab.f(_:)", line: 2),
            event("testStarted", one, at: 0), event("testStarted", two, at: 0),
            event("issueRecorded", one, issue()), event("testEnded", one, at: 1),
            event("testEnded", two, at: 2, message("pass", "ok")),
        ])
        #expect(
            events == [
                .started(TestID("Lab.f(_:)")),
                .ended(
                    TestID("Lab.f(_:)"),
                    .failed("S.swift:9:2: Expectation failed"),
                    seconds: 3,
                    output: "",
                    failures: [TestFailure("Expectation failed")]
                ),
            ]
        )
    }

    @Test("each issue of all overloads is told by itself, in the words of who recorded it")
    func failures() {
        let (one, two) = ("Lab.f(_:)/S.swift:1:4", "Lab.f(_:)/S.swift:2:4")
        let recorded = """
            "issue":{"isFailure":true,"isKnown":false},"messages":[\
            {"symbol":"fail","text":"Issue recorded"},\
            {"symbol":"details","text":"Record mode is on. Automatically recorded snapshot: …"},\
            {"symbol":"details","text":"open it"}]
            """
        let events = read([
            declare("Lab.f(_:)", line: 1), declare("Lab.f(_:)", line: 2),
            event("testStarted", one, at: 0), event("issueRecorded", one, recorded),
            event("testEnded", one, at: 1), event("testStarted", two, at: 1),
            event("issueRecorded", two, issue()), event("testEnded", two, at: 2),
        ])
        guard case .ended(_, .failed, _, _, let failures) = events.last else {
            Issue.record("it did not fail")
            return
        }
        #expect(
            failures == [
                TestFailure(
                    "Record mode is on. Automatically recorded snapshot: …",
                    detail: "open it"
                ),
                TestFailure("Expectation failed"),
            ]
        )
        #expect(FrameworkCatalog.unnamedWords.recordings.areAll(of: Array(failures.prefix(1))))
        #expect(!FrameworkCatalog.unnamedWords.recordings.areAll(of: failures))
    }

    @Test("issues of a suite and of nobody are told apart; broken lines say nothing")
    func outsideTests() {
        #expect(
            read([event("issueRecorded", "Lab.Suite", issue()), "{\"kind\":", "", "[]"])
                == [.suiteFailed("Lab.Suite", "S.swift:9:2: Expectation failed")]
        )
        #expect(
            read([event("issueRecorded", nil, issue())])
                == [.failureOutsideTests("S.swift:9:2: Expectation failed")]
        )
    }

    @Test("a PNG attachment is a capture under the name the test gave, inside the folder only")
    func attachments() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("home-1zqm.png", "png")
        let outside = try TemporaryFolder().write("x.png", "png")
        let id = "Lab.Suite/`a/b`/c()/S.swift:1:4"
        func attach(_ path: String, _ name: String) -> String {
            event(
                "valueAttached",
                id,
                "\"attachment\":{\"path\":\"\(path)\"},"
                    + message("_attachment", "Attached '\(name)' to c().")
            )
        }
        let events = read(
            [
                declare("Lab.Suite/`a/b`/c()", line: 1), attach(path, "dark/home.png"),
                attach(outside, "x.png"), attach(folder.file("none.png"), "none.png"),
                attach(path, "note.txt"),
            ],
            attachments: folder.path
        )
        #expect(
            events == [
                .captured(
                    TestID("Lab.Suite/`a/b`/c()"),
                    CapturedFile(suite: "Lab.Suite/`a-b`/dark", name: "home", path: path)
                )
            ]
        )
    }
}

@Suite("choosing Swift tests")
struct SwiftTestSelectionTests {
    private func filters(_ tests: [String]) throws -> [Regex<AnyRegexOutput>] {
        let arguments = SwiftTestSelection.swiftTestingArguments(tests.map { TestID($0) })
        return try stride(from: 1, to: arguments.count, by: 2).map { try Regex(arguments[$0]) }
    }

    @Test("filters match the leased tests and nothing that looks like them")
    func filters() throws {
        let leased = [
            "Lab.Card/light()", "Lab.Card/param(_:)", "Lab.Card/`raw | name (x).`()", "Lab.free()",
            "Lab.`a/b`/`c/d`()",
        ]
        let others = [
            "Lab.Card/light2()", "Lab.CardX/light()", "XLab.Card/light()", "Lab.Card/dark()",
            "Lab.Card/light()/Nested/light()", "Lab.freeX()", "Lab.Card/param(x:)",
        ]
        let regexes = try filters(leased)
        #expect(regexes.count == 3)
        func isChosen(_ test: String) -> Bool {
            regexes.contains { (test + "/S.swift:7:6").firstMatch(of: $0) != nil }
        }
        for test in leased { #expect(isChosen(test), "\(test)") }
        for test in others { #expect(!isChosen(test), "\(test)") }
    }

    @Test("one suite of many tests is one filter, so that filters stay few")
    func few() throws {
        let tests = (0..<1_000).map { "Lab.Suite\($0 % 4)/test\($0)()" }
        #expect(try filters(tests).count == 4)
    }

    @Test("tests that XCTest's console cannot tell apart never share a process")
    func clashes() {
        let groups = SwiftTestSelection.groups(
            ["A.Login/testOne", "A.Login/testTwo", "B.Login/testOne"].map { TestID($0) }
        )
        #expect(
            groups.map { $0.map(\.text) } == [
                ["A.Login/testOne", "A.Login/testTwo"], ["B.Login/testOne"],
            ]
        )
    }

    @Test("a command line stays below the system's limit for one argument")
    func groupSize() {
        let tests = (0..<5_000).map { TestID("Module.VeryLongTestClassName/testNumber\($0)") }
        let groups = SwiftTestSelection.groups(tests)
        #expect(groups.flatMap { $0 } == tests)
        for group in groups {
            #expect(group.map(\.text).joined(separator: ",").utf8.count < 131_072)
        }
    }
}
