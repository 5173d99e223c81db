import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    /// docs/ios.md, "One build, six CI jobs", on a stand-in for a Mac (Tests/XcodeStandIn).
    @Suite("An app that one job of a CI builds for the others", .serialized)
    struct BuiltOnceTests {
        private let mac: StandInMac
        private let folder: TemporaryFolder
        private let program: Program

        private static let pipeline = """
            version: 1
            name: app
            references: {store: ../references.git, pin: snapfarm.refs}
            devices: [iPhone 16 (18.5), iPad Pro 11-inch (M4) (18.5)]
            variants: {appearance: [light, dark]}
            jobs:
              unit:
                kind: unit
                driver: xcodebuild
                workspace: App.xcworkspace
                scheme: App
                targets: [AppTests]
              screens:
                kind: snapshot
                driver: xcodebuild
                framework: iOSSnapshotTestCase
                workspace: App.xcworkspace
                scheme: App
                targets: [AppSnapshotTests]

            """

        init() throws {
            mac = try StandInMac()
            folder = try TemporaryFolder("built-once")
            let environment = [
                "PATH": mac.path, "SNAPFARM_XCODES": mac.folder.file("Applications"),
            ]
            program = Program(folder: folder.file("app"), environment: environment)
            try folder.write("app/snapfarm.yaml", Self.pipeline)
            try folder.write(
                "app/App.xcworkspace/standin.json",
                """
                {"app": "App", "schemes": {"App": {"targets": ["AppTests", "AppSnapshotTests"]}},
                 "targets": {
                   "AppTests": {"kind": "unit", "host": "App",
                     "tests": ["CartTests/testEmpty", "CartTests/testFull"]},
                   "AppSnapshotTests": {"kind": "unit", "host": "App", "tests": [
                     {"test": "HomeTests/testBalance", "does": [{"picture": {"with": "fb"}}]},
                     {"test": "PayTests/testPay", "does": [{"picture": {"with": "fb"}}]}]}}}
                """
            )
            let git = try TestProcess.run(["git", "init", "-q", folder.file("app")])
            try #require(git.status == 0, "\(git.errors)")
        }

        private func snapfarm(_ words: String..., status: Int32 = 0) throws -> String {
            let ending = try program.run(words)
            #expect(ending.status == status, "\(words): \(ending.output)\(ending.errors)")
            return ending.output + ending.errors
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

            let pipeline = Self.pipeline
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
