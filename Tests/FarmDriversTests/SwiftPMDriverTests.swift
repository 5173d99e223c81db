// Tests of the driver `swiftpm` with a real package that is built once: every way in which a test
// of either framework can end. The build takes most of this target's time (10 s alone, 30 s on a
// busy machine).
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

/// The built package.
///
/// It stays in the temporary folder, so that only the first test run builds it; its name follows
/// from its sources.
private actor BuiltPackage {
    static let shared = BuiltPackage()
    private var building: Task<Discovery, any Error>?

    func discovery() async throws -> Discovery {
        let building = building ?? Task { try await Self.build() }
        self.building = building
        return try await building.value
    }

    private static func build() async throws -> Discovery {
        try await discoverPackage([
            "Package.swift": manifest, "Tests/XLab/X.swift": xctest,
            "Tests/SLab/S.swift": swiftTesting, "Tests/TLab/T.swift": namesakes,
        ])
    }

    private static let manifest = """
        // swift-tools-version:6.0
        import PackageDescription
        let package = Package(
            name: "Fixture",
            targets: ["XLab", "SLab", "TLab"].map { .testTarget(name: $0) })
        """
    private static let xctest = """
        import Foundation
        import XCTest
        final class Login: XCTestCase {
            func testPass() {}
            func testFail() { XCTFail("numbers") }
            func testSkip() throws { throw XCTSkip("not today") }
        }
        final class Rough: XCTestCase {
            func testA() { print("Fatal error: " + "said by " + "another test") }
            func testCrash() {
                FileHandle.standardError.write(Data("Fatal error: the cart is empty\\n".utf8))
                abort()
            }
            func testExit() { exit(0) }
            func testHang() { while true { sleep(60) } }
            func testZ() {}
        }
        final class Shots: XCTestCase {
            func draw(_ name: String) throws {
                let captures = ProcessInfo.processInfo.environment["SNAPFARM_CAPTURE_DIR"] ?? ""
                let folder = URL(fileURLWithPath: captures + "/Screens")
                try FileManager.default.createDirectory(
                    at: folder, withIntermediateDirectories: true)
                try Data(name.utf8).write(to: folder.appendingPathComponent(name + ".png"))
            }
            func testA() throws { try draw("first") }
            func testB() throws {
                try draw("third")
                abort()
            }
            func testC() throws { try draw("second") }
            func testD() {}
        }
        """
    /// Tests of another module, with the same names as in ``swiftTesting``, and overloads.
    private static let namesakes = """
        import Testing
        @Suite struct Card {
            @Test func pass() { #expect(1 == 2) }
            @Test func `raw name / (x)`() {}
            @Test(arguments: [1]) func twice(x: Int) {}
            @Test(arguments: ["a"]) func twice(x: String) { #expect(x == "b") }
            struct Nested { @Test func picture() {} }
        }
        @Test func free() {}
        """
    private static let swiftTesting = """
        import Foundation
        import Testing
        @Suite struct Card {
            @Test func pass() {}
            @Test func fail() { #expect(1 == 2) }
            @Test(arguments: [1, 2, 3]) func param(_ i: Int) { #expect(i != 2) }
            @Test(.disabled("off today")) func off() {}
            @Test func `raw name / (x)`() {}
            @Test func known() { withKnownIssue { Issue.record("known") } }
            struct Nested {
                @Test func picture() { Attachment.record(Array("png".utf8), named: "home.png") }
            }
        }
        @Test func free() {}
        @Suite struct Rough {
            @Test func crash() {
                FileHandle.standardError.write(Data("Fatal error: no card\\n".utf8))
                abort()
            }
            @Test func hang() { while true { sleep(60) } }
            @Test func calm() {}
            @Test func outsideTests() async {
                Task.detached { Issue.record("nobody's") }
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
        """
}

@Suite("the swiftpm driver", .serialized)
struct SwiftPMDriverTests {
    private func run(
        _ tests: [String],
        kind: JobKind = .unit,
        testSeconds: Double = 120,
        shardSeconds: Double = 600
    ) async throws -> Heard {
        let discovery = try await BuiltPackage.shared.discovery()
        let folder = try TemporaryFolder()
        let heard = Heard()
        try await SwiftPMDriver(environment: testEnvironment).run(
            shard(
                .swiftpm(SwiftPMSettings(package: "Fixture")),
                kind: kind,
                tests: tests,
                timeouts: JobTimeouts(testSeconds: testSeconds, shardSeconds: shardSeconds),
                prepared: discovery.prepared
            ),
            folders: leaseFolders(in: folder)
        ) { heard.take($0) }
        return heard
    }

    @Test("discovery lists the tests of both frameworks as `swift test list` does")
    func discovery() async throws {
        let discovery = try await BuiltPackage.shared.discovery()
        #expect(
            Set(discovery.tests.map(\.text)) == [
                "XLab.Login/testPass", "XLab.Login/testFail", "XLab.Login/testSkip",
                "XLab.Rough/testA", "XLab.Rough/testCrash", "XLab.Rough/testExit",
                "XLab.Rough/testHang", "XLab.Rough/testZ", "XLab.Shots/testA",
                "XLab.Shots/testB", "XLab.Shots/testC", "XLab.Shots/testD",
                "SLab.Card/pass()", "SLab.Card/fail()",
                "SLab.Card/param(_:)", "SLab.Card/off()", "SLab.Card/`raw name / (x)`()",
                "SLab.Card/known()", "SLab.Card/Nested/picture()", "SLab.free()",
                "SLab.Rough/crash()", "SLab.Rough/hang()", "SLab.Rough/calm()",
                "SLab.Rough/outsideTests()", "TLab.Card/pass()", "TLab.Card/`raw name / (x)`()",
                "TLab.Card/twice(x:)", "TLab.Card/Nested/picture()", "TLab.free()",
            ]
        )
        #expect(discovery.tests.count == Set(discovery.tests).count)
    }

    @Test("each test of both frameworks ends as `swift test` says, once")
    func endings() async throws {
        let tests = try await BuiltPackage.shared.discovery().tests.map(\.text)
            .filter { !$0.contains(".Rough/") && !$0.contains(".Shots/") && !$0.hasPrefix("T") }
        let heard = try await run(tests)
        #expect(heard.results.count == tests.count)
        #expect(
            heard.endings.mapValues(\.word) == [
                "XLab.Login/testPass": "passed", "XLab.Login/testFail": "failed",
                "XLab.Login/testSkip": "skipped", "SLab.Card/pass()": "passed",
                "SLab.Card/fail()": "failed", "SLab.Card/param(_:)": "failed",
                "SLab.Card/off()": "skipped", "SLab.Card/`raw name / (x)`()": "passed",
                "SLab.Card/known()": "passed", "SLab.Card/Nested/picture()": "passed",
                "SLab.free()": "passed",
            ]
        )
    }

    @Test("tests of one name in two modules are run and judged each by itself, overloads as one")
    func namesakes() async throws {
        let names = ["Card/pass()", "Card/`raw name / (x)`()", "Card/Nested/picture()", "free()"]
        let both = try await run(
            names.flatMap { ["SLab.\($0)", "TLab.\($0)"] } + ["TLab.Card/twice(x:)"]
        )
        let red: Set = ["TLab.Card/pass()", "TLab.Card/twice(x:)"]
        #expect(both.results.count == 9)
        #expect(Set(both.endings.filter { !$0.value.isGood }.keys) == red)
        #expect(try await run(["SLab.Card/pass()"]).endings == ["SLab.Card/pass()": .passed])
    }

    @Test("only what is leased runs, and a test that is not there stays open")
    func subset() async throws {
        let heard = try await run([
            "SLab.free()", "SLab.Card/pass()", "XLab.Login/testPass", "XLab.Login/testGone",
            "SLab.gone()",
        ])
        #expect(
            heard.endings.mapValues(\.word) == [
                "SLab.free()": "passed", "SLab.Card/pass()": "passed",
                "XLab.Login/testPass": "passed",
            ]
        )
    }

    @Test("a test that crashes, leaves or hangs costs itself only")
    func rough() async throws {
        let heard = try await run(
            ["testA", "testCrash", "testExit", "testHang", "testZ"].map { "XLab.Rough/" + $0 }
                + ["crash()", "hang()", "calm()"].map { "SLab.Rough/" + $0 }
                + ["SLab.Card/pass()"],
            // Long enough that a crash comes before the limit on a busy machine.
            testSeconds: 12
        )
        #expect(
            heard.endings.mapValues(\.word) == [
                "XLab.Rough/testA": "passed", "XLab.Rough/testCrash": "test-crashed",
                "XLab.Rough/testExit": "test-crashed", "XLab.Rough/testHang": "test-timed-out",
                "XLab.Rough/testZ": "passed", "SLab.Rough/crash()": "test-crashed",
                "SLab.Rough/hang()": "test-timed-out", "SLab.Rough/calm()": "passed",
                "SLab.Card/pass()": "passed",
            ]
        )
        if case .errored(let problem) = heard.endings["XLab.Rough/testCrash"] {
            #expect(problem.message.contains("SIGABRT"))
        }
    }

    @Test("a crash's own words are its output, and another test's are not")
    func lastWords() async throws {
        let crashes = [
            "XLab.Rough/testCrash": "the cart is empty", "SLab.Rough/crash()": "no card",
        ]
        let heard = try await run(["XLab.Rough/testA"] + crashes.keys.sorted())
        for (test, words) in crashes {
            let output = try #require(heard.result(test)).output
            #expect(output.contains("Fatal error: \(words)"), "\(output)")
            #expect(!output.contains("said by another test"), "\(output)")
            #expect(output.utf8.count <= FarmLimits.resultOutputBytesMax)
        }
    }

    @Test("when the shard's time is over, what ran is named, and the other framework not begun")
    func shardTime() async throws {
        let heard = try await run(
            ["XLab.Rough/testA", "XLab.Rough/testHang", "SLab.free()"],
            shardSeconds: 5
        )
        #expect(heard.endings.mapValues(\.word) == ["XLab.Rough/testA": "passed"])
        #expect(heard.timeOver == [TestID("XLab.Rough/testHang")])
    }

    @Test("a failure that belongs to no test is not lost")
    func outsideTests() async throws {
        let heard = try await run(["SLab.Rough/outsideTests()"])
        if case .failed(let text) = heard.endings["SLab.Rough/outsideTests()"] {
            #expect(text.contains("nobody's"))
        } else {
            Issue.record("it passed")
        }
    }

    @Test("a snapshot job's PNG attachments are captures of their test")
    func captures() async throws {
        let heard = try await run(["SLab.Card/Nested/picture()"], kind: .snapshot)
        let captures = try #require(heard.results.first).captures
        #expect(captures.map { "\($0.suite)|\($0.name)" } == ["SLab.Card/Nested|home"])
    }

    @Test("what no name gives away is the test's that makes it alone, also beside a crash")
    func alone() async throws {
        let heard = try await run(
            ["A", "B", "C", "D"].map { "XLab.Shots/test" + $0 },
            kind: .snapshot
        )
        #expect(
            heard.endings.mapValues(\.word) == [
                "XLab.Shots/testA": "passed", "XLab.Shots/testB": "test-crashed",
                "XLab.Shots/testC": "passed", "XLab.Shots/testD": "passed",
            ]
        )
        #expect(heard.result("XLab.Shots/testA")?.captures.map(\.name) == ["first"])
        #expect(heard.result("XLab.Shots/testC")?.captures.map(\.name) == ["second"])
        #expect(heard.results.flatMap(\.captures).count == 2)
    }

    @Test("a package that does not build leaves the run incomplete and shows the compiler")
    func broken() async throws {
        let folder = try TemporaryFolder()
        try folder.write("Broken/Package.swift", "// swift-tools-version:6.0\nlet x: Int = 1 +\n")
        let job = shard(.swiftpm(SwiftPMSettings(package: "Broken")), tests: []).job
        let error = await #expect(throws: DriverError.self) {
            try await SwiftPMDriver(environment: testEnvironment)
                .discover(job: job, workTree: folder.path, scratch: folder.path)
        }
        #expect(error?.exit == .incomplete)
        #expect(error?.message.contains("error:") == true)
    }
}
