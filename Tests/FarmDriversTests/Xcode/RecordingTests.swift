// A table of recorded output of Apple's tools: each file with the expected results of the driver.
import FarmCore
import Foundation
import Testing

@testable import FarmDrivers

/// A file of recorded output.
struct Recording: Sendable {
    /// Reads the text of a recording.
    typealias Reader = @Sendable (String) throws -> [String]

    var file: String
    /// The expected lines, one for each fact in the file, in any order.
    var right: [String]
    var read: Reader
}

extension Recording {
    /// Returns a console of these tests; tests not in `others` have passed.
    static func console(_ file: String, _ tests: [String], others: [String] = []) -> Recording {
        let right = tests.map { test in
            others.first { $0.hasPrefix(test + " ") } ?? "\(test) passed"
        }
        return Recording(file: file, right: right) { text in
            // Here it is enough that a test failed: other tests check the messages.
            consoleEnds(lines(text), tests).map { end in
                end.firstRange(of: " failed ").map { end[..<$0.lowerBound] + " failed" } ?? end
            }
        }
    }

    /// Returns a console of a plan with repetitions, in which a test ends several times.
    static func iterations(_ file: String, _ tests: [String], _ right: [String]) -> Recording {
        Recording(file: file, right: right) { text in consoleEnds(lines(text), tests) }
    }

    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map(String.init)
    }

    /// Returns the action for each line.
    static let actions: Reader = { text in
        lines(text).map { FailureSignature.met(by: $0)?.action.rawValue ?? "nothing" }
    }

    static let enumeration: Reader = { text in TestEnumeration.errors(in: Data(text.utf8)) }

    static func tree(_ tests: [String]) -> Reader {
        { text in
            let names = XcodeNames(tests.map { TestID($0) })
            return ends(try ResultTree.results(Data(text.utf8), names))
        }
    }

    /// Reads a plan of the bundle that has this record.
    static func plan(record: String, _ tests: [String]) -> Reader {
        { text in
            let decoder = JSONDecoder()
            let record = try decoder.decode(LegacyValue.self, from: Data(record.utf8))
            var found = LegacyResults(record: record)
            found.read(
                plan: try decoder.decode(LegacyValue.self, from: Data(text.utf8)),
                XcodeNames(tests.map { TestID($0) })
            )
            return ends(found.results)
        }
    }

    /// Returns the names of the failed tests in a bundle's record.
    static let record: Reader = { text in
        let record = try JSONDecoder().decode(LegacyValue.self, from: Data(text.utf8))
        return (record["issues", "testFailureSummaries"]?.list ?? []).compactMap { issue in
            issue["testCaseName"]?.text
        }
    }

    private static func ends(_ results: BundleResults) -> [String] {
        results.byTest.values.map { result in
            let words = result.failures.map(\.message).joined(separator: ";")
            return "\(result.test.text) \(result.ending.brief) \(words)".trimmed
        }
    }

    /// Returns the lists and dictionaries of tests in a launch's copy of the file.
    static func choice(of tests: [String: [String]]) -> Reader {
        { text in
            var file = try TestRunFile(Data(text.utf8), path: "recorded")
            file.apply(TestRunEdit(only: tests))
            let decoder = PropertyListDecoder()
            let copy = try decoder.decode(PropertyList.self, from: file.encoded(path: "recorded"))
            return tests.keys.flatMap { target in
                (copy.dictionary?[target]?.dictionary ?? [:])
                    .filter { $0.key.contains("Identifiers") }
                    .map { "\($0.key): \(brief($0.value))" }
            }
        }
    }

    private static func brief(_ value: PropertyList) -> String {
        switch value {
        case .text(let text): text
        case .list(let list): "[" + list.map(brief).joined(separator: " ") + "]"
        case .dictionary(let fields):
            fields.sorted { $0.key < $1.key }.map { "\($0.key) \(brief($0.value))" }
                .joined(separator: " ")
        default: ""
        }
    }
}

@Suite("Recordings of Apple's tools")
struct RecordingTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../../shared/corpus/apple").standardizedFileURL.path
    private static let isThere = FileManager.default.fileExists(atPath: folder)

    private static func text(_ file: String) throws -> String {
        try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
    }

    private static let consoles: [Recording] = [
        .console(
            "zwsp-parameterised-xcode16.log",
            [
                "T/S/checkParseABCVersion(version:strings:)",
                "T/S/logLevelFromEnvVars(expectedLevel:environment:)",
                "T/S/testBundleUrl(file:ext:)", "T/S/checkMakeEnvVars(request:expectedEnvVars:)",
                "T/S/checkFileTypeParsing(expected:file:)", "T/S/checkLiveProcessInfo()",
                "I/IntegrationTests/testConnectionServiceShutdown",
            ],
            others: ["T/S/checkMakeEnvVars(request:expectedEnvVars:) failed"]
        ),
        .console(
            "zwsp-skip-xcode27.log",
            [
                "T/GammaSuite/passing()", "T/GammaSuite/parameterized(value:)",
                "T/GammaSuite/disabled()",
            ],
            others: ["T/GammaSuite/disabled() skipped off"]
        ),
        .console("barrier-xcode26.log", ["T/theTallyOfDwAfIsTwiceTheCrates()"]),
        .console(
            "glued-xcode27.log",
            [
                "P/LegacyTests/testBuckles", "P/LegacyTests/testDoubling", "P/Bays/range(index:)",
                "P/Crates/first()", "P/Crates/second()", "P/Bays/fails()", "P/Crates/third()",
                "P/Crates/chatter()", "P/Crates/labels(text:)", "P/Crates/broken()",
                "P/Crates/slow()", "P/Crates/partial()", "P/Crates/cases(value:)",
                "P/Crates/inner()", "P/stray()", "P/Crates/line()", "P/Crates/outer()",
            ],
            others: ["P/Bays/fails() failed", "P/Crates/broken() failed"]
        ),
        .console(
            "nested-classes-xcode27.log",
            [
                "LibTests/WidgetTests/testOne", "LibTests/WidgetTests.GizmoTests/testTwo",
                "LibTests/ChoreTasks.LampTests/testThree",
            ]
        ),
        .console(
            "parallel-free-function-xcode16.log",
            ["A/optional()", "A/HeckelAlgorithmSwiftTestingTests/async()"]
        ),
        .console(
            "cancelled-swift63.log",
            ["A/stops()"],
            others: ["A/stops() skipped not on this device"]
        ),
        .iterations(
            "retry-xcode27.log",
            [
                "D/CalculatorTests/testAddition", "D/CalculatorTests/testFailsOnce",
                "D/FormattingSuite/aKnownFormattingIssuePasses()",
                "D/FormattingSuite/multipliesLargeNumbers()",
            ],
            [
                "D/CalculatorTests/testAddition passed",
                "D/CalculatorTests/testFailsOnce failed CalculatorTests.swift:20: "
                    + "failed - first attempt under the fail-once trigger",
                "D/CalculatorTests/testFailsOnce passed",
                "D/FormattingSuite/aKnownFormattingIssuePasses() passed",
                "D/FormattingSuite/multipliesLargeNumbers() skipped not ready",
            ]
        ),
    ]

    private static func others() throws -> [Recording] {
        let plan = ["AppTests/LoginTests/testFail()", "AppTests/CartTests/testFail()"]
        return [
            Recording(
                file: "infra-errors.txt",
                right: ["awaitDevice", "reboot", "reboot", "remake", "relaunch"],
                read: Recording.actions
            ),
            Recording(
                file: "err-object-enumeration.json",
                right: ["the destination is not available"],
                read: Recording.enumeration
            ),
            Recording(
                file: "skip-reason-xcode26.json",
                right: [skipped + " skipped Feature not yet implemented"],
                read: Recording.tree([skipped])
            ),
            Recording(
                file: "objc-record-xcode15.json",
                right: ["-[LoginTests testFail]", "CartTests.testFail()"],
                read: Recording.record
            ),
            Recording(
                file: "objc-plan-xcode15.json",
                right: [
                    "AppTests/LoginTests/testFail() failed LoginTests.m:12: ((1) equal to (2)) failed",
                    "AppTests/CartTests/testFail() failed XCTAssertTrue failed",
                ],
                read: Recording.plan(record: try text("objc-record-xcode15.json"), plan)
            ),
            Recording(
                file: "testing-identifiers-xcode264.xctestrun",
                right: [
                    "OnlyTestIdentifiers: [FooTests/testB() S/c()]",
                    "OnlyTestingIdentifiers: suites [name FooTests testFunctions [testB()] "
                        + "name S testFunctions [c()]] xctestClasses [name FooTests xctestMethods "
                        + "[testB] name S xctestMethods [c]]",
                ],
                read: Recording.choice(of: ["AppTests": ["FooTests/testB()", "S/c()"]])
            ),
        ]
    }

    private static let skipped =
        "FastlaneTrainerExampleTests/FastlaneTrainerTests/testSkippedFeature()"

    @Test("each recorded file is read as is right, and none is left out", .enabled(if: isThere))
    func recorded() throws {
        let recordings = try Self.consoles + Self.others()
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
        #expect(Set(recordings.map(\.file)) == Set(files).subtracting(["README.md"]))
        for recording in recordings {
            let found = try recording.read(Self.text(recording.file))
            #expect(found.sorted() == recording.right.sorted(), "\(recording.file)")
        }
    }
}
