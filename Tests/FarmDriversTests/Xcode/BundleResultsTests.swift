import FarmCore
import Foundation
import Testing

@testable import FarmDrivers

@Suite("Result bundles")
struct BundleResultsTests {
    private static let names = XcodeNames(
        ["App/A/testOne", "App/A/testTwo()", "App/S/In/sum()", "App/S/`a b`()"].map { TestID($0) }
    )

    private static let tree = """
        {"devices": [], "testPlanConfigurations": [], "testNodes": [{"name": "Plan", "nodeType": "Test Plan",
          "children": [{"name": "App", "nodeType": "Unit test bundle", "children": [
            {"name": "A", "nodeType": "Test Suite", "children": [
              {"name": "testOne()", "nodeType": "Test Case", "nodeIdentifier": "A/testOne()",
               "result": "Failed", "duration": "0,5s", "children": [
                 {"name": "iPhone", "nodeType": "Device", "children": [
                   {"name": "A.swift:51: failed - no", "nodeType": "Failure Message"}]},
                 {"name": "XCTAssertTrue failed", "nodeType": "Failure Message", "children": [
                   {"name": "A.swift:52", "nodeType": "Source Code Reference"}]}]},
              {"name": "testTwo()", "nodeType": "Test Case", "nodeIdentifier": "A/testTwo()",
               "result": "Skipped", "children": [
                 {"name": "Test skipped - later", "nodeType": "Failure Message"}]}]},
            {"name": "In", "nodeType": "Test Suite", "children": [
              {"name": "sum()", "nodeType": "Test Case", "nodeIdentifier": "S/In/sum()",
               "result": "Expected Failure", "durationInSeconds": 1.5, "tags": []},
              {"name": "a b", "nodeType": "Test Case", "nodeIdentifier": "S/`a b`()",
               "result": "unknown"}]},
            {"name": "System Failures", "nodeType": "Test Suite", "children": [
              {"name": "App encountered an error", "nodeType": "Failure Message"}]}]}]}]}
        """

    @Test("the tree of Xcode 16 has every test's ending, words and places")
    func tree() throws {
        let found = try ResultTree.results(Data(Self.tree.utf8), Self.names)
        let results = found.byTest
        let one = try #require(results[TestID("App/A/testOne")])
        #expect(
            one.failures.map(\.message) == [
                "A.swift:51: failed - no", "A.swift:52: XCTAssertTrue failed",
            ]
        )
        #expect(one.ending == .failed("A.swift:51: failed - no\nA.swift:52: XCTAssertTrue failed"))
        #expect(one.seconds == 0.5)
        #expect(results[TestID("App/A/testTwo()")]?.ending == .skipped("later"))
        #expect(results[TestID("App/S/In/sum()")]?.ending == .passed)
        #expect(results[TestID("App/S/In/sum()")]?.seconds == 1.5)
        #expect(results[TestID("App/S/`a b`()")] == nil)
        #expect(found.outsideTests == ["App encountered an error"])
        #expect(throws: XcodeError.resultsUnreadable) { try ResultTree.results(Data(), Self.names) }
    }

    @Test("a test that ran more than once is as bad as its worst run")
    func repetitions() {
        let test = TestID("App/A/testOne")
        let runs: [TestEnding] = [.passed, .failed("a"), .passed]
        let results = BundleResults(
            results: runs.map { BundleResult(test: test, ending: $0, seconds: 1, failures: []) }
        )
        #expect(results.byTest[test]?.ending == .failed("a"))
        #expect(results.byTest[test]?.seconds == 3)
    }

    @Test(
        "durations are read in the words of any machine",
        arguments: [
            ("0.5s", 0.5), ("0,5s", 0.5), ("4m 34s", 274), ("1h 1m", 3_660), ("", 0),
            ("20ms", 0.02),
        ]
    )
    func durations(_ text: String, _ seconds: Double) {
        #expect(abs(ResultTree.seconds(text) - seconds) < 1e-9)
    }

    @Test("the graph before Xcode 16 says the same")
    func legacy() throws {
        func value(_ text: String) throws -> LegacyValue {
            try JSONDecoder().decode(LegacyValue.self, from: Data(text.utf8))
        }
        let record = try value(
            """
            {"_type": {"_name": "ActionsInvocationRecord"},
             "issues": {"testFailureSummaries": {"_values": [{
               "testCaseName": {"_value": "A.testOne()"}, "message": {"_value": "XCTAssertTrue failed"},
               "documentLocationInCreatingWorkspace": {"url": {"_value":
                 "file:///src/A.swift#EndingLineNumber=11&StartingLineNumber=11"}}}]}},
             "actions": {"_values": [{"actionResult": {"testsRef": {"id": {"_value": "tests"}}}}]}}
            """
        )
        var found = LegacyResults(record: record)
        #expect(found.tests == ["tests"])
        found.read(
            plan: try value(
                """
                {"summaries": {"_values": [{"testableSummaries": {"_values": [{
                  "targetName": {"_value": "App"}, "tests": {"_values": [{"subtests": {"_values": [
                    {"identifier": {"_value": "A/testOne()"}, "testStatus": {"_value": "Failure"},
                     "duration": {"_value": "0.25"}, "summaryRef": {"id": {"_value": "one"}}},
                    {"identifier": {"_value": "A/testTwo()"}, "testStatus": {"_value": "Success"}}
                  ]}}]}}]}}]}}
                """
            ),
            Self.names
        )
        let results = found.results.byTest
        #expect(
            results[TestID("App/A/testOne")]?.ending == .failed("A.swift:12: XCTAssertTrue failed")
        )
        #expect(results[TestID("App/A/testOne")]?.seconds == 0.25)
        #expect(results[TestID("App/A/testTwo()")]?.ending == .passed)
        #expect(found.summaries.map(\.id) == ["one"])
        let summary = try value(
            """
            {"activitySummaries": {"_values": [{"subactivities": {"_values": [{"attachments": {"_values": [
              {"name": {"_value": "Shot"}, "uniformTypeIdentifier": {"_value": "public.png"},
               "payloadRef": {"id": {"_value": "p1"}}},
              {"name": {"_value": "Log"}, "uniformTypeIdentifier": {"_value": "public.plain-text"},
               "payloadRef": {"id": {"_value": "p2"}}},
              {"name": {"_value": "Untyped"}, "uniformTypeIdentifier": {"_value": "public.data"},
               "payloadRef": {"id": {"_value": "p3"}}}]}}]}}]}}
            """
        )
        let test = TestID("App/A/testOne")
        #expect(
            LegacyResults.attachments(of: summary, test) == [
                LegacyAttachment(test: test, name: "Shot", payload: "p1"),
                LegacyAttachment(test: test, name: "Untyped", payload: "p3"),
            ]
        )
    }

    @Test("words of Objective-C's failures are found before Xcode 16, too")
    func objectiveC() throws {
        func value(_ text: String) throws -> LegacyValue {
            try JSONDecoder().decode(LegacyValue.self, from: Data(text.utf8))
        }
        var found = LegacyResults(
            record: try value(
                """
                {"issues": {"testFailureSummaries": {"_values": [{
                   "testCaseName": {"_value": "-[A testOne]"}, "message": {"_value": "((1) equal to (2)) failed"}
                 }]}}}
                """
            )
        )
        found.read(
            plan: try value(
                """
                {"summaries": {"_values": [{"testableSummaries": {"_values": [{
                  "targetName": {"_value": "App"}, "tests": {"_values": [
                    {"identifier": {"_value": "A/testOne"}, "testStatus": {"_value": "Failure"}}
                  ]}}]}}]}}
                """
            ),
            Self.names
        )
        let one = found.results.byTest[TestID("App/A/testOne")]
        #expect(one?.ending == .failed("((1) equal to (2)) failed"))
    }

    @Test("a skip's reason stands alone, and repetitions say a message once")
    func repeatedMessages() throws {
        let run = """
            {"name": "Run", "nodeType": "Repetition", "result": "Skipped", "children": [
              {"name": "Test 'a title' skipped: not ready", "nodeType": "Failure Message"}]}
            """
        let tree = """
            {"testNodes": [{"name": "App", "nodeType": "Unit test bundle", "children": [
              {"name": "testOne()", "nodeType": "Test Case", "nodeIdentifier": "A/testOne()",
               "result": "Skipped", "children": [\(run), \(run)]},
              {"name": "testTwo()", "nodeType": "Test Case", "nodeIdentifier": "A/testTwo()",
               "result": "Failed", "children": [
                \(run.replacing("Skipped", with: "Failed")), \(run.replacing("Skipped", with: "Failed"))]}]}]}
            """
        let results = try ResultTree.results(Data(tree.utf8), Self.names).byTest
        #expect(results[TestID("App/A/testOne")]?.ending == .skipped("not ready"))
        #expect(results[TestID("App/A/testTwo()")]?.failures.count == 1)
    }

    @Test("a plan's own repetitions end as the bundle says, a crash as the console says")
    func merged() {
        let test = TestID("App/A/testOne")
        let failed = TestResult(
            test: test,
            ending: .failed("first try"),
            seconds: 1,
            failures: [TestFailure("first try")]
        )
        let bundle = BundleResult(test: test, ending: .passed, seconds: 2, failures: [])
        #expect(XcodeLaunch.merged(failed, bundle).ending == .passed)
        #expect(XcodeLaunch.merged(failed, bundle).failures.isEmpty)
        let skipped = TestResult(test: test, ending: .skipped("later"), seconds: 1)
        let silent = BundleResult(test: test, ending: .skipped(""), seconds: 1, failures: [])
        #expect(XcodeLaunch.merged(skipped, silent).ending == .skipped("later"))
        let crash = TestResult(test: test, ending: .errored(.testLost()), seconds: 1)
        #expect(XcodeLaunch.merged(crash, bundle).ending == crash.ending)
        #expect(XcodeLaunch.merged(failed, bundle).earlierFailure == "first try")
        let repeated = BundleResult(
            test: test,
            ending: .passed,
            seconds: 2,
            failures: [],
            earlierFailure: "Crash: App (12)"
        )
        #expect(XcodeLaunch.merged(crash, repeated).ending == .passed)
        #expect(XcodeLaunch.merged(crash, repeated).earlierFailure == "Crash: App (12)")
        let red = BundleResult(test: test, ending: .failed("no"), seconds: 2, failures: [])
        #expect(XcodeLaunch.merged(failed, red).earlierFailure == nil)
    }

    @Test("a test that passed in a later repetition keeps what it said in an earlier one")
    func earlierFailures() throws {
        func run(_ number: Int, _ result: String, _ words: String = "") -> String {
            let message = #"{"name": "\#(words)", "nodeType": "Failure Message"}"#
            return """
                {"name": "Run \(number)", "nodeType": "Repetition", "result": "\(result)",
                 "children": [\(words.isEmpty ? "" : message)]}
                """
        }
        let tree = """
            {"testNodes": [{"name": "App", "nodeType": "Unit test bundle", "children": [
              {"name": "testOne()", "nodeType": "Test Case", "nodeIdentifier": "A/testOne()",
               "result": "Passed", "children": [\(run(1, "Failed", "A.swift:9: once")), \(run(2, "Passed"))]},
              {"name": "testTwo()", "nodeType": "Test Case", "nodeIdentifier": "A/testTwo()",
               "result": "Passed", "children": [\(run(1, "Passed")), \(run(2, "Passed"))]},
              {"name": "sum()", "nodeType": "Test Case", "nodeIdentifier": "S/In/sum()",
               "result": "Passed", "children": [{"name": "1", "nodeType": "Arguments", "children": [
                 \(run(1, "Failed")), \(run(2, "Passed"))]}]}]}]}
            """
        let results = try ResultTree.results(Data(tree.utf8), Self.names).byTest
        #expect(results[TestID("App/A/testOne")]?.ending == .passed)
        #expect(results[TestID("App/A/testOne")]?.earlierFailure == "A.swift:9: once")
        #expect(results[TestID("App/A/testTwo()")]?.earlierFailure == nil)
        #expect(results[TestID("App/S/In/sum()")]?.earlierFailure == "failed")
    }

    @Test(
        "before Xcode 16 a repetition that failed counts unless the launch succeeded",
        arguments: [(true, TestEnding.passed, "no"), (false, .failed("no"), nil)]
            as [(Bool, TestEnding, String?)]
    )
    func legacyRepetitions(_ hasSucceeded: Bool, _ ending: TestEnding, _ earlier: String?) {
        let test = TestID("App/A/testOne")
        var results = BundleResults(
            results: [TestEnding.failed("no"), .passed].map {
                BundleResult(test: test, ending: $0, seconds: 1, failures: [])
            }
        )
        results.hasSucceeded = hasSucceeded
        #expect(results.byTest[test]?.ending == ending)
        #expect(results.byTest[test]?.earlierFailure == earlier)
    }

    // MARK: attachments

    private static let manifest = """
        [{"testIdentifier": "A/testOne()", "testIdentifierURL": "test://com.apple.xcode/P/App/A/testOne",
          "attachments": [
           {"exportedFileName": "B.png", "timestamp": 2, "isAssociatedWithFailure": true,
            "suggestedHumanReadableName": "Cart_1_3F2504E0-4F89-11D3-9A0C-0305E82C3301.png"},
           {"exportedFileName": "A", "timestamp": 1, "isAssociatedWithFailure": false,
            "suggestedHumanReadableName": "Cart_0_3F2504E0-4F89-11D3-9A0C-0305E82C3302.png"},
           {"exportedFileName": "L.txt", "timestamp": 3, "suggestedHumanReadableName": "log.txt"}]},
         {"testIdentifier": "A/testTwo()", "attachments": [{"exportedFileName": "First.png"},
           {"exportedFileName": "Last.png", "repetitionNumber": 2}]},
         {"testIdentifier": "Z/testZ()", "attachments": [{"exportedFileName": "Z.png"}]}]
        """

    @Test("attachments are a test's pictures in the order they were made, also before its failure")
    func attachments() throws {
        let found = try Attachments.parse(Data(Self.manifest.utf8), Self.names) { $0 != "L.txt" }
        #expect(found.map(\.file).sorted() == ["A", "B.png", "Last.png"])
        let one = TestID("App/A/testOne")
        let pictures = Attachments.pictures(of: one, found.filter { $0.test == one }) { "/x/\($0)" }
        #expect(
            pictures.captures == [
                CapturedFile(suite: "App.A", name: "testOne_Cart", path: "/x/A"),
                CapturedFile(suite: "App.A", name: "testOne_Cart_2", path: "/x/B.png"),
            ]
        )
    }

    @Test("what frameworks attach of a comparison is a difference, and no capture")
    func differences() {
        let test = TestID("App/A/testOne")
        let names = ["reference", "failure", "difference", "Reference Image", "Failed Image"]
        let attachments = names.enumerated().map {
            Attachment(test: test, name: $0.element, file: "\($0.offset).png")
        }
        let found = Attachments.pictures(of: test, attachments) { $0 }
        #expect(found.captures.isEmpty)
        #expect(found.differences.count == 2)
        #expect(found.differences[0].reference == "0.png" && found.differences[0].diff == "2.png")
        #expect(found.differences[1].failed == "4.png" && found.differences[1].diff == nil)
    }
}
