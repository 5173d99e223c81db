import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

@Suite("Test plans of the driver xcodebuild")
struct XcodePlanTests {
    private static func machine(_ xcode: String) -> String {
        """
        {"selected": "\(xcode)", "xcodes": [{"version": "\(xcode)", "build": "1A1", "sdk": "18.5",
          "path": "Applications/Xcode-\(xcode).app"}]}
        """
    }

    private static func failing(_ words: String, _ when: String) -> String {
        #""does": [{"when": {\#(when)}, "does": [{"fail": "failed - \#(words)", "line": 20}]}]"#
    }

    @Test(
        "a test that passes when its plan runs it again has passed, and its first failure is told",
        arguments: ["27.0", "16.4", "15.4"]
    )
    func repetitions(_ xcode: String) async throws {
        let once = Self.failing("once", #""attempt": 1"#)
        let mac = try await XcodeMac(
            tests: """
                [{"test": "A/testOnce", \(once)}, {"test": "S/once()", \(once)}, "A/testGood"]
                """,
            machine: Self.machine(xcode),
            plan: #""testRepetitionMode": "retryOnFailure", "maximumTestRepetitions": 3"#
        )
        let job = mac.job()
        let heard = try await mac.run(job, try await mac.discover(job))
        #expect(heard.endings.values.allSatisfy { $0 == .passed } && heard.endings.count == 3)
        for test in ["A/testOnce()", "S/once()"] {
            let result = try #require(heard.result("ShopTests/\(test)"))
            #expect(result.earlierFailure?.contains("once") == true)
            #expect(result.failures.isEmpty)
        }
        #expect(heard.result("ShopTests/A/testGood()")?.earlierFailure == nil)
        #expect(try await mac.counts()["xcodebuild test-without-building"] == 1)
        await mac.driver.shutDown()
    }

    @Test("a test that fails in every repetition of its plan says each message once")
    func alwaysFails() async throws {
        let mac = try await XcodeMac(
            tests: #"[{"test": "A/testBad", "does": [{"fail": "failed - always", "line": 21}]}]"#,
            plan: #""testRepetitionMode": "retryOnFailure", "maximumTestRepetitions": 3"#
        )
        let job = mac.job()
        let heard = try await mac.run(job, try await mac.discover(job))
        let bad = try #require(heard.result("ShopTests/A/testBad()"))
        #expect(bad.ending == .failed("A.swift:21: failed - always"))
        #expect(bad.failures.count == 1 && bad.earlierFailure == nil)
        #expect(try mac.events("test").count == 3)
        await mac.driver.shutDown()
    }

    @Test("pictures of a test that its plan ran again are those of its last repetition")
    func repeatedPictures() async throws {
        let mac = try await XcodeMac(
            tests: """
                [{"test": "A/testShot", "does": [
                  {"picture": {"with": "attachment", "name": "Receipt"}},
                  {"when": {"attempt": 1}, "does": [{"fail": "failed - once", "line": 20}]}]}]
                """,
            plan: #""testRepetitionMode": "retryOnFailure", "maximumTestRepetitions": 3"#
        )
        let job = mac.job(kind: .snapshot)
        let heard = try await mac.run(job, try await mac.discover(job), mode: .record)
        let shot = try #require(heard.result("ShopTests/A/testShot()"))
        #expect(shot.ending == .passed)
        #expect(shot.captures.map(\.name) == ["testShot_Receipt"])
        await mac.driver.shutDown()
    }

    @Test("what a plan skips is skipped, also where Xcode lists it among those to run")
    func skips() async throws {
        let mac = try await XcodeMac(
            tests: """
                ["A/testOld", "A/testNew", "S/old()", "S/new()",
                 {"test": "S/later()", "disabled": "not yet"}]
                """,
            machine: Self.machine("27.0"),
            plan: #""skip": ["ShopTests/A/testOld", "ShopTests/S/old()"]"#
        )
        let job = mac.job()
        let found = try await mac.discover(job)
        #expect(found.prepared["disabled"] == "ShopTests/A/testOld()")
        let heard = try await mac.run(job, found)
        #expect(
            heard.endings == [
                "ShopTests/A/testOld()": .skipped("the test plan skips it"),
                "ShopTests/S/old()": .skipped("the test plan skips it"),
                "ShopTests/S/later()": .skipped("not yet"),
                "ShopTests/A/testNew()": .passed, "ShopTests/S/new()": .passed,
            ]
        )
        await mac.driver.shutDown()
    }

    @Test("where Xcode succeeds and runs none of the tests, the error says what it was given")
    func emptyLaunch() async throws {
        let mac = try await XcodeMac(tests: #"["S/one()", "S/two()", "A/testOne"]"#)
        let job = mac.job()
        let found = try await mac.discover(job)
        try mac.trouble(#"[{"kind": "zero-tests", "times": 9}]"#)
        var words: XcodeError?
        do {
            try await mac.run(job, found, tests: ["ShopTests/S/one()", "ShopTests/S/two()"])
        } catch let error as XcodeError {
            words = error
        }
        let error = try #require(words)
        #expect(error.code == "tests-never-ran")
        #expect(
            error.message.hasPrefix(
                "Xcode 16.4 ended with success and ran none of the 2 tests that were left"
            )
        )
        #expect(error.message.contains("-only-testing:ShopTests/S/one()"))
        #expect(error.message.contains("OnlyTestIdentifiers: S/one()"))
        await mac.driver.shutDown()
    }
}
