// Tests of Xcode's output and selection, one shape at a time; XcodeShapeSeedTests mixes them.
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

@Suite("The driver xcodebuild with each Xcode's own ways")
struct XcodeShapeTests {
    /// Returns a machine with only this Xcode; `shapes` are the shares of the line shapes.
    static func machine(
        _ xcode: String,
        seed: Int = 1,
        glyphs: String = "sf",
        shapes: String = "{}"
    ) -> String {
        """
        {"seed": \(seed), "glyphs": "\(glyphs)", "selected": "\(xcode)", "shapes": \(shapes), "xcodes": [
          {"version": "\(xcode)", "build": "1A1", "sdk": "18.5", "path": "Applications/Xcode.app"}]}
        """
    }

    static let retryPlan = #""testRepetitionMode": "retryOnFailure", "maximumTestRepetitions": 3"#
    private static let cell = XcodeMac.cell("iPhone 15", "17.5")

    /// Makes a Mac with a job, and discovers its tests.
    private func start(
        _ tests: String,
        plan: String? = nil,
        xcode: String,
        shapes: String = "{}"
    ) async throws -> (XcodeMac, Job, Discovery) {
        let machine = Self.machine(xcode, shapes: shapes)
        let mac = try await XcodeMac(tests: tests, machine: machine, plan: plan)
        let job = mac.job(cells: [Self.cell])
        return (mac, job, try await mac.discover(job))
    }

    @Test(
        "the tests of a lease run and no others, whatever its plan chose and its Xcode obeys",
        arguments: ["16.2", "16.4", "26.4"]
    )
    func selection(_ xcode: String) async throws {
        let (mac, job, found) = try await start(
            """
            ["A/testOne", "A/testTwo", "B/testOut", "S/one()", "S/two()", "S/each(_:)", "T/out()"]
            """,
            plan: #""only": ["ShopTests/A", "ShopTests/S"], "skip": ["ShopTests/A/testOne"]"#,
            xcode: xcode
        )
        let chosen = ["ShopTests/A/testTwo()", "ShopTests/S/each(_:)", "ShopTests/S/one()"]
        #expect(Set(found.tests.map(\.text)).isSuperset(of: chosen), "\(found.tests)")
        let heard = try await mac.run(job, found, tests: chosen)
        #expect(heard.endings.mapValues(\.word) == chosen.reduce(into: [:]) { $0[$1] = "passed" })
        let ran = try mac.events("test").compactMap { $0["test"] as? String }
        #expect(ran.sorted() == chosen)
        await mac.driver.shutDown()
    }

    @Test(
        "ends that no line tells are in the bundle; without a whole bundle the tests run again",
        arguments: [("", 1), ("results-incomplete", 2), ("results-damaged", 2)]
    )
    func missedEnds(_ trouble: String, _ launches: Int) async throws {
        let (mac, job, found) = try await start(
            #"["A/testOne", "A/testTwo", "S/three()", "S/four()"]"#,
            xcode: "26.4",
            shapes: #"{"lostEnds": 1}"#
        )
        if !trouble.isEmpty { try mac.trouble("[{\"kind\": \"\(trouble)\"}]") }
        let heard = try await mac.run(job, found)
        #expect(heard.results.count == 4)
        #expect(Set(heard.endings.values) == [.passed])
        #expect(try await mac.counts()["xcodebuild test-without-building"] == launches)
        await mac.driver.shutDown()
    }

    @Test(
        "no test passes without an end and without a whole bundle",
        arguments: ["results-incomplete", "results-damaged"]
    )
    func neverWhole(_ trouble: String) async throws {
        let (mac, job, found) = try await start(
            #"["A/testOne", "A/testTwo", "S/three()"]"#,
            xcode: "26.4",
            shapes: #"{"lostEnds": 1}"#
        )
        try mac.trouble("[{\"kind\": \"\(trouble)\", \"times\": 100}]")
        let heard = Heard()
        let error = await #expect(throws: XcodeError.self) {
            try await mac.run(job, found, heard: heard)
        }
        #expect(error?.code == "tests-never-ran")
        #expect(error?.message.contains("without a result for these tests, 2 times") == true)
        #expect(heard.results.isEmpty)
        await mac.driver.shutDown()
    }

    @Test(
        "a plan that runs failed tests again ends as its bundle says, and a message is there once"
    )
    func retries() async throws {
        let once = #"{"when": {"attempt": 1}, "does": [{"fail": "failed - once"}]}"#
        let (mac, job, found) = try await start(
            """
            [{"test": "A/testOnce", "does": [\(once)]}, {"test": "S/once()", "does": [\(once)]},
             {"test": "A/testBad", "does": [{"fail": "XCTAssertTrue failed", "line": 7}]},
             {"test": "S/bad()", "does": [{"fail": "Expectation failed: a == b", "line": 8}]}]
            """,
            plan: Self.retryPlan,
            xcode: "26.4"
        )
        let heard = try await mac.run(job, found)
        #expect(heard.endings["ShopTests/A/testOnce()"] == .passed)
        #expect(heard.endings["ShopTests/S/once()"] == .passed)
        for (test, words) in [
            ("A/testBad()", "A.swift:7: XCTAssertTrue failed"),
            ("S/bad()", "S.swift:8: Expectation failed: a == b"),
        ] {
            #expect(heard.result("ShopTests/\(test)")?.failures.map(\.message) == [words])
        }
        // Two tests that passed in their second run, and two that failed in all three.
        #expect(try mac.events("test").count == 10)
        await mac.driver.shutDown()
    }

    @Test("tests whose lines are those of clones end as they did")
    func clones() async throws {
        let (mac, job, found) = try await start(
            """
            ["A/testOne", "S/total()", "free()",
             {"test": "A/testBad", "does": [{"fail": "XCTAssertTrue failed", "line": 7}]}]
            """,
            xcode: "16.4",
            shapes: #"{"clones": 1}"#
        )
        // Only the console is readable.
        try mac.trouble(#"[{"kind": "results-damaged"}]"#)
        let heard = try await mac.run(job, found)
        #expect(
            heard.endings.mapValues(\.word) == [
                "ShopTests/A/testOne()": "passed", "ShopTests/S/total()": "passed",
                "ShopTests/free()": "passed", "ShopTests/A/testBad()": "failed",
            ]
        )
        await mac.driver.shutDown()
    }

    @Test("Objective-C's failures have their words in the bundle before Xcode 16, too")
    func objectiveC() async throws {
        let failure = #"{"fail": "((1) equal to (2)) failed", "line": 12}"#
        let (mac, job, found) = try await start(
            #"[{"test": "A/testBad", "objc": true, "does": [\#(failure)]}]"#,
            xcode: "15.4",
            // A clone's lines do not say why a test failed, so the message comes from the bundle.
            shapes: #"{"clones": 1}"#
        )
        let heard = try await mac.run(job, found)
        #expect(
            heard.results.first?.failures.map(\.message) == ["A.m:12: ((1) equal to (2)) failed"]
        )
        await mac.driver.shutDown()
    }

    @Test(
        "the reason of a skip is the test's own words",
        arguments: ["15.4", "26.4"]
    )
    func skips(_ xcode: String) async throws {
        let swiftTesting = """
            , {"test": "S/off()", "disabled": "off: later", "title": "is off"},
            {"test": "S/stops()", "does": [{"cancel": "not here"}]}
            """
        let (mac, job, found) = try await start(
            #"[{"test": "A/testSkips", "does": [{"skip": "not today"}]}"#
                + (xcode == "15.4" ? "]" : swiftTesting + "]"),
            xcode: xcode
        )
        let heard = try await mac.run(job, found)
        for (test, reason) in [
            ("A/testSkips()", "not today"), ("S/off()", "off: later"), ("S/stops()", "not here"),
        ] where xcode != "15.4" || test.hasPrefix("A") {
            #expect(heard.endings["ShopTests/\(test)"] == .skipped(reason))
        }
        await mac.driver.shutDown()
    }

    @Test("a list of tests that carries an error is told in Xcode's words")
    func enumerationError() async throws {
        let mac = try await XcodeMac(tests: #"["A/testOne"]"#)
        try mac.trouble(#"[{"kind": "enumeration-error"}]"#)
        await #expect(
            throws: XcodeError.enumerationFailed(["the destination is not available"])
        ) { try await mac.discover(mac.job()) }
        await mac.driver.shutDown()
    }
}
