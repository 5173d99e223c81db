import FarmTesting
import Foundation
import Testing

extension Documented {
    /// Tests of `make mac-check` on a stand-in for a Mac (Tests/XcodeStandIn).
    @Suite("The check of a Mac", .serialized)
    struct MacCheckTests {
        private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        private let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder("mac-check")
            try folder.write("temporary/.keep", "")
        }

        private static func text(_ path: String) throws -> String {
            try String(contentsOf: root.appending(path: path), encoding: .utf8)
        }

        private static func machine() throws -> String {
            try text("Tests/XcodeStandIn/mac-check.json")
        }

        private var zip: String { folder.file("sent.zip") }

        private func check(_ mac: StandInMac) throws -> ProcessEnding {
            let script = Self.root.appending(path: "deploy/mac-check.sh").path
            return try TestProcess.run(
                ["sh", script, Program.path, zip],
                environment: mac.environment.merging([
                    "TMPDIR": folder.file("temporary"),
                    "SNAPFARM_XCODES": mac.folder.file("Applications"),
                    // The farm under test must ignore these, or it would act as one shard of a CI.
                    "CIRCLECI": "true", "CIRCLE_NODE_INDEX": "1", "CIRCLE_NODE_TOTAL": "2",
                ]) { _, new in new },
                seconds: 600
            )
        }

        private func sent(_ name: String = "*") throws -> String {
            try TestProcess.run(["unzip", "-p", zip, "mac-check/" + name]).output
        }

        private func expectNothingLeft(_ mac: StandInMac) throws {
            let files = FileManager.default
            #expect(try files.contentsOfDirectory(atPath: folder.file("temporary")) == [".keep"])
            let left = try mac.run(["xcrun", "simctl", "list", "devices", "-j"])
            #expect(!left.output.contains("udid"), "simulators are left: \(left.output)")
        }

        @Test("is green where all is well, and leaves one zip without secrets and nothing else")
        func green() throws {
            let test = #""CartTests/testEmpty", "does": ["#
            let mac = try StandInMac(
                try Self.machine().replacing(
                    test,
                    with: test + #"{"print": "printed password=hunter2 in $HOME"}, "#
                )
            )
            let ending = try check(mac)
            #expect(ending.status == 0, "\(ending.said)")
            let steps = ending.output.split(separator: "\n").filter { $0.hasPrefix("OK") }
            #expect(steps.count == 12, "\(ending.output)")
            let facts = [
                "run: one after another (", "Mac: arm64 x86_64 (", "counts: -only-testing (",
            ]
            for fact in facts { #expect(ending.output.contains(fact), "\(ending.output)") }
            try expectNothingLeft(mac)

            let calls = try sent("trace/calls.txt")
            #expect(calls.contains("xcodebuild test-without-building"))
            #expect(calls.contains("xcrun xcresulttool get"))
            let all = try sent()
            #expect(all.contains("printed password=[removed] in ~/"))
            #expect(!all.contains(mac.folder.path) && !all.contains("hunter2"))
        }

        @Test("is red where the Mac misbehaves, says why, and leaves the zip all the same")
        func red() throws {
            let mac = try StandInMac(try Self.machine())
            // The check itself first makes and deletes two simulators, to find a type that works.
            try mac.trouble(#"[{"kind": "damaged"}, {"kind": "delete-fails", "after": 2}]"#)
            let ending = try check(mac)
            #expect(ending.status == 1, "\(ending.said)")
            let words = [
                "FAILED  record", "The bundle is damaged or missing necessary resources.",
                "it leaves simulators: ", "not tried, because the step \"record\" failed",
            ]
            for word in words { #expect(ending.output.contains(word), "\(ending.output)") }
            #expect(try sent("report.txt").contains("FAILED  record"))
            try expectNothingLeft(mac)
        }

        @Test("says what a Mac lacks, with the command that brings it")
        func missing() throws {
            let mac = try StandInMac(#"{"runtimes": []}"#)
            let ending = try check(mac)
            #expect(ending.status == 69)
            #expect(ending.output.contains("xcodebuild -downloadPlatform iOS"))
            #expect(!FileManager.default.fileExists(atPath: zip))
            try expectNothingLeft(mac)
        }

        @Test("the stand-in runs the tests that the sample app has")
        func sample() throws {
            let tests = try Self.machine().matches(of: /"test": "(\w+)\/(\w+)/)
            #expect(tests.count == 7)
            for test in tests {
                let isUnit = ["CartTests", "OrderTests"].contains(test.1)
                let target = isUnit ? "MacCheckTests" : "MacCheckSnapshotTests"
                let source = try Self.text("deploy/mac-check/app/\(target)/\(test.1).swift")
                #expect(source.contains("func \(test.2)("), "\(test.0)")
            }
        }
    }
}
