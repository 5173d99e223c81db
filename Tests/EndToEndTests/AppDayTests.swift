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

        /// Leaves what `snapfarm build` says to hand on, as another machine of a CI has it.
        private func keepWhatIsHandedOn() throws {
            let files = FileManager.default
            func keep(_ names: Set<String>, in path: String) throws {
                for name in try files.contentsOfDirectory(atPath: path) where !names.contains(name)
                {
                    try files.removeItem(atPath: "\(path)/\(name)")
                }
            }
            let state = folder.file("app/.snapfarm")
            try keep(["built.json", "xcode"], in: state)
            for name in try files.contentsOfDirectory(atPath: state + "/xcode") {
                try keep(["Build"], in: "\(state)/xcode/\(name)")
                try keep(["Products"], in: "\(state)/xcode/\(name)/Build")
            }
        }

        private func calls(of tool: String) throws -> String? {
            try mac.trace(["--counts"]).split(separator: "\n").lazy
                .map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
                .first { $0.last == tool }?.first
        }

        @Test("is built and listed once, and the jobs of a CI run what was handed on")
        func builtOnce() throws {
            _ = try snapfarm("refs", "init")
            let built = try snapfarm("build", "snapfarm.yaml")
            #expect(built.contains("unit (2 tests), screens (2 tests): .snapfarm/xcode/App-"))
            #expect(built.contains("- .snapfarm/xcode/*/Build/Products\n"), "\(built)")
            try keepWhatIsHandedOn()
            _ = try snapfarm("run", "snapfarm.yaml", "--built", "--mode", "record")
            for part in ["job=unit", "device=iPhone 16 (18.5)", "appearance=dark"] {
                try keepWhatIsHandedOn()
                _ = try snapfarm("run", "snapfarm.yaml", "--built", "--select", part)
            }
            _ = try snapfarm("plan", "snapfarm.yaml", "--built")
            #expect(try calls(of: "xcodebuild build-for-testing") == "1")
            #expect(try calls(of: "xcodebuild enumerate") == "1")

            let pipeline = try Self.pipeline()
            let release = "scheme: App\n    configuration: Release\n"
            try folder.write(
                "app/snapfarm.yaml",
                pipeline.replacing("scheme: App\n", with: release)
            )
            let other = try snapfarm("run", "snapfarm.yaml", "--built", status: 78)
            #expect(other.contains("with another `driver`"), "\(other)")
            try folder.write("app/snapfarm.yaml", pipeline)
            _ = try snapfarm("run", "snapfarm.yaml")
            let again = try snapfarm("run", "snapfarm.yaml", "--built", status: 78)
            #expect(again.contains("there is no record of a build"), "\(again)")
        }
    }
}
