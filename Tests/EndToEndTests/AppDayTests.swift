import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    /// What an iOS team does in a day, by docs/ios.md, on a stand-in for a Mac (Tests/XcodeStandIn).
    @Suite("An iOS team's day", .serialized)
    struct AppDayTests {
        private let mac: StandInMac
        private let folder: TemporaryFolder
        private let program: Program

        init() throws {
            mac = try StandInMac()
            folder = try TemporaryFolder("app-day")
            let environment = [
                "PATH": mac.path, "SNAPFARM_XCODES": mac.folder.file("Applications"),
                "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org",
            ]
            program = Program(folder: folder.file("app"), environment: environment)
            try folder.write("app/snapfarm.yaml", try Self.pipeline())
            try write(balance: #"{"picture": {"with": "fb"}}"#)
            let git = try TestProcess.run(["git", "init", "-q", folder.file("app")])
            try #require(git.status == 0, "\(git.errors)")
        }

        /// The pipeline file that docs/ios.md shows.
        private static func pipeline() throws -> String {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
            let guide = try String(contentsOf: root.appending(path: "docs/ios.md"), encoding: .utf8)
            let parts = guide.components(separatedBy: "```")
            let block = try #require(parts.first { $0.hasPrefix("yaml\n") })
            return String(block.dropFirst("yaml\n".count))
        }

        /// `balance` is what the test of that name does.
        private func write(balance: String) throws {
            try folder.write(
                "app/App.xcworkspace/standin.json",
                """
                {"app": "App", "schemes": {"App": {"targets": ["AppTests", "AppSnapshotTests"]}},
                 "targets": {
                   "AppTests": {"kind": "unit", "host": "App",
                     "tests": ["CartTests/testEmpty", "CartTests/testFull"]},
                   "AppSnapshotTests": {"kind": "unit", "host": "App", "tests": [
                     {"test": "HomeTests/testBalance", "does": [\(balance)]},
                     {"test": "PayTests/testPay", "does": [{"picture": {"with": "fb"}}]}]}}}
                """
            )
        }

        private func snapfarm(_ words: String..., status: Int32 = 0) throws -> String {
            let ending = try program.run(words)
            #expect(ending.status == status, "\(words): \(ending.output)\(ending.errors)")
            let left = try mac.run(["xcrun", "simctl", "list", "devices", "-j"])
            #expect(!left.output.contains("udid"), "\(words) leaves simulators: \(left.output)")
            return ending.output + ending.errors
        }

        @Test("is recorded, verified, changed, broken and approved, and leaves no simulator")
        func day() throws {
            _ = try snapfarm("refs", "init")
            let recorded = try snapfarm("run", "snapfarm.yaml", "--mode", "record")
            #expect(recorded.contains("Recorded: 8 new"), "\(recorded)")
            let verified = try snapfarm("run", "snapfarm.yaml")
            #expect(verified.contains("passed: 10 tests as expected"), "\(verified)")

            try write(balance: #"{"picture": {"with": "fb", "look": "larger"}}"#)
            let changed = try snapfarm("run", "snapfarm.yaml", status: 1)
            #expect(changed.contains("Pictures: 4 changed."), "\(changed)")
            _ = try snapfarm("approve", "--run", "latest", "--reason", "larger")
            _ = try snapfarm("run", "snapfarm.yaml")

            try write(balance: #"{"fail": "XCTAssertEqual failed: 1 is not 2", "line": 31}"#)
            let failed = try snapfarm("run", "snapfarm.yaml", status: 1)
            #expect(failed.contains("HomeTests.swift:31: XCTAssertEqual failed: 1 is not 2"))
        }
    }
}
