// Tests of the parser with lines in the shapes that Xcode 16 to 27 printed. RecordingTests.swift
// tests it with the recordings themselves.
import FarmCore
import Foundation
import Testing

@testable import FarmDrivers

@Suite("What Xcode really prints")
struct RecordedConsoleTests {
    @Test("a zero-width space before the sign changes nothing", arguments: ["", "\u{200B}"])
    func zeroWidthSpace(_ lead: String) {
        #expect(
            consoleEnds(
                [
                    "\(lead)◇ Test check(version:strings:) started.",
                    "\(lead)◇ Passing 2 arguments version → .v3, strings → [\"3\"] to check(version:strings:)",
                    "\(lead)✔ Test check(version:strings:) passed after 0.001 seconds.",
                    "\(lead)➜ Test off() skipped: \"not today\"",
                ],
                ["App/S/check(version:strings:)", "App/S/off()"]
            ) == ["App/S/check(version:strings:) passed", "App/S/off() skipped not today"]
        )
    }

    @Test(
        "text without a line break before the sign changes nothing",
        arguments: ["XCTestOutputBarrier", "half a line", "bay 7 → ", "✔ Test "]
    )
    func gluedText(_ lead: String) {
        #expect(
            consoleEnds(
                [
                    "\(lead)◇ Test sum() started.",
                    "\(lead)✘ Test sum() recorded an issue at F.swift:14:27: Expectation failed: a == b",
                    "↳ a == b → false",
                    "\(lead)✘ Test sum() failed after 0.003 seconds with 1 issue.",
                ],
                ["App/S/sum()"]
            ) == ["App/S/sum() failed F.swift:14: Expectation failed: a == b|a == b → false"]
        )
    }

    @Test("a sentence that a test quotes is no sentence")
    func quotedSentences() {
        #expect(
            consoleEnds(
                [
                    "◇ Test sum() started.", "◇ Test other() started.",
                    "✘ Test sum() recorded an issue at F.swift:1:2: text == \"✔ Test other() passed after 1 seconds.\"",
                    "I print ✔ Test other() passed after lunch.",
                    "✘ Test sum() failed after 0.003 seconds with 1 issue.",
                ],
                ["App/S/sum()", "App/S/other()"]
            ) == [
                "App/S/sum() failed F.swift:1: text == \"✔ Test other() passed after 1 seconds.\"",
                "App/S/other() runs",
            ]
        )
    }

    @Test("the place of an issue is found behind any argument, and its comment is kept")
    func issues() {
        #expect(
            consoleEnds(
                [
                    "◇ Test each(_:) started.",
                    "✘ Test each(_:) recorded an issue with 1 argument value → \"meet at 5:30\" at F.swift:13:22: Expectation failed: one",
                    "XCTestOutputBarrier↳ why it matters",
                    "✘ Test each(_:) recorded an issue with 1 argument value → Order(",
                    "  lines: 2",
                    ") at F.swift:19:5: Expectation failed: two",
                    "✘ Test each(_:) recorded an issue at F.swift:21:5: Issue recorded",
                    "\u{200B}↳ said by hand",
                    "✘ Test each(_:) with 3 test cases failed after 0.500 seconds with 3 issues.",
                ],
                ["App/S/each(_:)"]
            ) == [
                "App/S/each(_:) failed F.swift:13: Expectation failed: one|why it matters\n;"
                    + "F.swift:19: Expectation failed: two;F.swift:21: said by hand"
            ]
        )
    }

    @Test("a test that cancels itself is skipped, and known issues fail nothing")
    func cancelled() {
        #expect(
            consoleEnds(
                [
                    "◇ Test stops() started.",
                    "➜ Test stops() was cancelled after 0.001 seconds: \"not on this device\"",
                    "➜ Test ends() was cancelled after 0.001 seconds: \"not here\".",
                    "◇ Test known() started.", "◇ Test known() started (repetition 2).",
                    "━ Test known() recorded a known issue at F.swift:15:13: Expectation failed: a",
                    "━ Test known() passed after 0.002 seconds with 1 known issue.",
                ],
                ["App/S/stops()", "App/S/ends()", "App/S/known()"]
            ) == [
                "App/S/stops() skipped not on this device", "App/S/ends() skipped not here",
                "App/S/known() passed",
            ]
        )
    }

    @Test(
        "classes in other types and private classes are known by their runtime's name",
        arguments: [
            (
                "_TtCC8LibTests11WidgetTests10GizmoTests",
                "LibTests/WidgetTests.GizmoTests/testTwo()"
            ),
            (
                "_TtCC8LibTests11WidgetTests10GizmoTests",
                "LibTests/WidgetTests/GizmoTests/testTwo()"
            ),
            ("_TtCO8LibTests10ChoreTasks9LampTests", "LibTests/ChoreTasks/LampTests/testTwo"),
            (
                "_TtC8LibTestsP33_0123456789ABCDEF0123456789ABCDEF7MyTests",
                "LibTests/MyTests/testTwo"
            ),
            (
                "_TtC8LibTestsP33_0123456789ABCDEF0123456789ABCDEF7MyTests",
                "LibTests/_TtC8LibTestsP33_0123456789ABCDEF0123456789ABCDEF7MyTests/testTwo"
            ),
        ]
    )
    func nestedClasses(_ type: String, _ test: String) {
        #expect(
            consoleEnds(
                [
                    "Test Case '-[\(type) testTwo]' started.",
                    "Test Case '-[\(type) testTwo]' passed (0.000 seconds).",
                ],
                [test]
            ) == ["\(test) passed"]
        )
    }

    @Test(
        "a name that is none of the runtime's stays as it is",
        arguments: [
            "_TtGC8LibTests11WidgetTestsSi_", "_TtCs11WidgetTests", "_TtCC8LibTests99WidgetTests",
            "_TtC8LibTests11WidgetTests10GizmoTests", "_TtCC8LibTests011WidgetTests10GizmoTests",
            "_TtOC8LibTests11WidgetTests10GizmoTests", "LibTests.WidgetTests", "_Tt", "",
        ]
    )
    func otherNames(_ name: String) { #expect(ClassName.parts(name) == nil) }

    @Test("a function outside of any suite is known in a clone's output")
    func cloneFunctions() {
        #expect(
            consoleEnds(
                [
                    "Test case 'optional()' passed on 'Clone 1 of iPhone 16 Pro - App (60915)' (0.000 seconds)",
                    "Test case 'S/async()' passed on 'Clone 1 of iPhone 16 Pro - App (60915)' (0.004 seconds)",
                ],
                ["App/optional()", "App/S/async()"]
            ) == ["App/optional() passed", "App/S/async() passed"]
        )
    }

    @Test("a missed end leaves no test running: XCTest's next test or suite, or the end of the run")
    func missedEnds() {
        let lines = [
            "Test Case '-[App.A testOne]' started.", "Test Case '-[App.A testOne]' went well",
            "Test Case '-[App.A testTwo]' started.",
            "Test Suite 'A' passed at 2026-11-21 09:41:00.000.", "◇ Test sum() started.",
            "✔ Test run with 1 test in 1 suite passed after 0.004 seconds.",
        ]
        #expect(consoleEnds(lines, ["App/A/testOne", "App/A/testTwo", "App/S/sum()"]) == [])
        #expect(
            consoleEnds(Array(lines.prefix(3)), ["App/A/testOne", "App/A/testTwo"]) == [
                "App/A/testTwo runs"
            ]
        )
    }

    @Test("lines that look like a test's and are not understood are counted")
    func strangeLines() {
        var console = XcodeConsole(XcodeNames([TestID("App/S/sum()")]))
        for line in [
            "◇ Test other() started.", "Test Case '-[Z testZ]' passed (0.000 seconds).",
            "✔ Test sum() went well after 0.001 seconds.", "✔ Test \"a sum\" went well.",
            "Test Case '-[App.A testOne]' went well (0.001 seconds).",
            "◇ Test case passing 1 argument a → 1 to sum() started.", "✔ Test me", "Test Case '",
            "━ Test sum() recorded a known issue at F.swift:1:2: no",
            "✔ Suite S passed after 1 seconds.",
            "✔ Test run with 1 test in 1 suite passed after 0.004 seconds.",
            "◇ Test sum() started.",
        ] { _ = console.feed(line) }
        #expect(console.strangeLines.count == 5)
        #expect(console.strangeLines.first == "◇ Test other() started.")
    }
}
