import FarmCore
import Foundation
import Testing

@testable import FarmDrivers

@Suite("An app that crashes when it is launched")
struct LaunchCrashTests {
    @Test("is started once more, then named with the crash's words, and no simulator is to blame")
    func named() throws {
        var policy = RunPolicy(testSeconds: 60)
        let line =
            "\tApp (7) encountered an error (Early unexpected exit, operation never finished "
            + "bootstrapping - no restart will be attempted. (Underlying Error: Crash: App (7): "
            + "AppDelegate.init()))"
        var crashed = XcodeLaunchOutcome(end: .child(.exited(65)), results: [:])
        crashed.signature = FailureSignature.met(by: line)
        crashed.signatureLine = line
        crashed.lastWords = "Fatal error: no key"
        func next() -> NextStep {
            var results: [TestID: TestResult] = [:]
            return policy.take(crashed, of: [TestID("T/C/a()")], results: &results)
        }
        #expect(next() == .again(.relaunchCrashed))
        let error = XcodeError.crashedAtLaunch(
            words: "Crash: App (7): AppDelegate.init()",
            output: "Fatal error: no key"
        )
        #expect(next() == .fail(error))
        #expect(error.exit != .busy)
        #expect(error.message.contains("Fatal error: no key"))
    }

    @Test("runs twice on the same simulator, which is neither erased nor booted for it")
    func driver() async throws {
        let mac = try await XcodeMac(tests: #"["A/testOne", "S/two()"]"#)
        let job = mac.job()
        let found = try await mac.discover(job)
        let (creates, boots) = try (mac.events("create").count, mac.events("boot").count)
        try mac.trouble(#"[{"kind": "crashes-at-launch"}]"#)
        do {
            _ = try await mac.run(job, found)
            Issue.record("it ended well")
        } catch XcodeError.crashedAtLaunch(let words, let output) {
            #expect(words == "Crash: App (4242): AppDelegate.init()")
            #expect(output.contains("AppDelegate.init()"))
        }
        #expect(try await mac.counts()["xcodebuild test-without-building"] == 2)
        #expect(try mac.events("create").count - creates == 1)
        #expect(try mac.events("boot").count - boots == 1)
        #expect(try await mac.counts()["simctl erase"] == nil)
        await mac.driver.shutDown()
    }

    @Test("a test that prints such words is not believed to be one")
    func printed() async throws {
        let mac = try await XcodeMac(
            tests: """
                [{"test": "A/testOne", "does": [
                    {"print": "Early unexpected exit. (Underlying Error: Crash: A (1): b())"},
                    {"exit": 1}]}, "A/testTwo"]
                """
        )
        let job = mac.job()
        let heard = try await mac.run(job, try await mac.discover(job))
        #expect(
            heard.endings.mapValues(\.word) == [
                "ShopTests/A/testOne()": "test-crashed", "ShopTests/A/testTwo()": "passed",
            ]
        )
        await mac.driver.shutDown()
    }

    @Test(
        "the words of a crash are those of the innermost error",
        arguments: [
            ("A encountered an error (B (Underlying Error: C crashed.))", "C crashed."),
            (
                "A encountered an error (Test crashed with signal abrt.)",
                "Test crashed with signal abrt."
            ),
            (
                "(Underlying Error: Crash: A (1): <external symbol>. If you believe this error "
                    + "represents a bug, please attach the result bundle at /r.xcresult))",
                "Crash: A (1): <external symbol>."
            ), ("A crashed", "A crashed"), ("()", "()"), (")))", ""), ("", ""),
        ]
    )
    func crashWords(_ line: String, _ words: String) {
        #expect(FailureSignature.crashWords(of: line) == words)
    }
}
