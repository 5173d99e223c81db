import FarmCore
import Foundation
import Testing

@testable import FarmDrivers

@Suite("xcodebuild's console")
struct XcodeConsoleTests {
    private static let names = XcodeNames(
        [
            "App/A/testOne", "App/A/testTwo()", "App/S/sum()", "App/S/each(_:)", "App/T/sum()",
        ].map { TestID($0) }
    )

    /// Returns a short text for each event.
    private func events(_ lines: String...) -> [String] { events(lines, Self.names) }

    private func events(_ lines: [String], _ names: XcodeNames) -> [String] {
        var console = XcodeConsole(names)
        return lines.flatMap { console.feed($0) }.map { event in
            switch event {
            case .began: "began"
            case .started(let test): "started \(test.text)"
            case .ended(let test, let ending, let seconds, _, let failures):
                "\(ending.text) \(test.text) \(seconds) \(failures.map(\.message))"
            case .left(let test): "left \(test.text)"
            case .crashed(let test): "crashed \(test?.text ?? "?")"
            case .signature(let signature): "signature \(signature.action)"
            }
        }
    }

    @Test("XCTest's lines are starts, endings, failures and skips")
    func xctest() {
        #expect(
            events(
                "Test Suite 'A' started at 2026-11-21 09:41:00.000.",
                "Test Case '-[App.A testOne]' started.",
                "/src/A.swift:12: error: -[App.A testOne] : XCTAssertTrue failed - why",
                "Test Case '-[App.A testOne]' failed (0.250 seconds).",
                "half a line Test Case '-[App.A testTwo]' started.",
                "/src/A.swift:3: -[App.A testTwo] : Test skipped - not today",
                "Test Case '-[App.A testTwo]' skipped (0.001 seconds).",
                "\t Executed 2 tests, with 1 test skipped and 1 failure (0 unexpected) in 0.3 (0.4) seconds"
            ) == [
                "began", "began", "started App/A/testOne",
                #"failed A.swift:12: XCTAssertTrue failed - why App/A/testOne 0.25 ["A.swift:12: XCTAssertTrue failed - why"]"#,
                "began", "started App/A/testTwo()", "skipped not today App/A/testTwo() 0.001 []",
            ]
        )
    }

    @Test("lines of clones are read, too")
    func clones() {
        #expect(
            events(
                "Test case 'A.testTwo()' passed on 'Clone 1 of iPhone 8 - App (12345)' (0.123 seconds)"
            )
                == ["passed App/A/testTwo() 0.123 []"]
        )
    }

    @Test("Swift Testing's lines are read behind any sign", arguments: ["◇", "\u{1007C8} "])
    func swiftTesting(sign: String) {
        #expect(
            events(
                "\(sign) Test run started.",
                "\(sign) Suite S started.",
                "\(sign) Test each(_:) started.",
                "\(sign) Test each(_:) recorded an issue with 1 argument value → 2 at F.swift:13:22: Expectation failed: a",
                "\(sign) Test each(_:) with 3 test cases failed after 0.500 seconds with 1 issue.",
                "\(sign) Test run with 1 test in 1 suite failed after 0.5 seconds with 1 issue."
            )
                == [
                    "began", "began", "began", "started App/S/each(_:)",
                    #"failed F.swift:13: Expectation failed: a App/S/each(_:) 0.5 ["F.swift:13: Expectation failed: a"]"#,
                    "began",
                ].dropLast()
        )
        #expect(
            events("\(sign) Test each(_:) skipped: \"off\"") == [
                "skipped off App/S/each(_:) 0.0 []"
            ]
        )
    }

    @Test("two functions of one name are told apart by the suite that started last")
    func suites() {
        #expect(
            events(
                "◇ Suite T started.",
                "◇ Test sum() started.",
                "✔ Test sum() passed after 0.001 seconds."
            ) == ["began", "began", "started App/T/sum()", "passed App/T/sum() 0.001 []"]
        )
    }

    @Test(
        "a test is known by its display name, whatever words stand in it",
        arguments: ["adds up", "has started with tax", "shows \"Pay\" and passed"]
    )
    func titles(_ title: String) {
        let test = TestID("App/S/each(_:)")
        let names = XcodeNames([test, TestID("App/S/sum()")], titles: [test: title])
        #expect(
            events(
                [
                    "◇ Test \"\(title)\" started.",
                    "✘ Test \"\(title)\" recorded an issue at F.swift:13:22: Expectation failed: \"a\"",
                    "✘ Test \"\(title)\" with 3 test cases failed after 0.500 seconds with 1 issue.",
                    "◇ Test \"another\" started.",
                ],
                names
            )
                == [
                    "began", "started App/S/each(_:)",
                    #"failed F.swift:13: Expectation failed: "a" App/S/each(_:) 0.5 ["F.swift:13: Expectation failed: \"a\""]"#,
                ]
        )
    }

    @Test("a display name that nobody knows is that of the only test of the launch")
    func onlyTest() {
        let names = XcodeNames([TestID("App/S/sum()")])
        #expect(
            events(
                ["◇ Test \"adds up\" started.", "✔ Test \"adds up\" passed after 0.5 seconds."],
                names
            )
                == ["began", "started App/S/sum()", "passed App/S/sum() 0.5 []"]
        )
    }

    @Test("a restart blames the test it names, else the only one that ran")
    func crash() {
        let restart = "Restarting after unexpected exit, crash, or test timeout in "
        let rest = "; summary will include totals from previous launches."
        #expect(events(restart + "-[A testTwo]" + rest) == ["crashed App/A/testTwo()"])
        #expect(events(restart + "A.testTwo()" + rest) == ["crashed App/A/testTwo()"])
        #expect(events(restart + "S/sum()" + rest) == ["crashed App/S/sum()"])
        #expect(events(restart + "-[Z testZ]" + rest) == ["crashed ?"])
        #expect(
            events("Test Case '-[App.A testOne]' started.", restart + "-[Z testZ]" + rest).last
                == "crashed App/A/testOne"
        )
    }

    @Test("tests of nobody, and what tests print, are nothing")
    func strangers() {
        #expect(
            events(
                "Test Case '-[App.Z testZ]' started.",
                "Test Case '-[App.A testOne]' is what I print",
                "x Test run started",
                "◇ Test \"a title\" started.",
                "Test sum() passed"
            ) == []
        )
    }
}

extension TestEnding {
    /// The ending's word and text.
    var text: String {
        switch self {
        case .passed: "passed"
        case .failed(let text): "failed \(text)"
        case .changed(let text): "changed \(text)"
        case .new(let text): "new \(text)"
        case .skipped(let text): "skipped \(text)"
        case .errored(let problem): "errored \(problem.code)"
        }
    }
}
