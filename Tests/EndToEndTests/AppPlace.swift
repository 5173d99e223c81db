// The surroundings of an iOS team: an app in Git with its references, an empty repository at a Git
// host, a release of snapfarm, and Macs to type commands on. All of them are folders.
import FarmCore
import FarmReports
import FarmTesting
import Foundation
import Testing

/// The app's repository as it is before the team uses snapfarm.
struct AppPlace {
    let folder: TemporaryFolder
    private let own: AppMachine
    private let host: TestProcess
    private let port: Int

    init() throws {
        folder = try TemporaryFolder("app-day")
        port = try TestPort.reserved()
        try Self.writeRelease(into: folder)
        own = try AppMachine(folder, "app", port: port)
        try own.git("init", "-q", "--bare", folder.file("references.git"))
        host = try TestProcess([
            "git", "daemon", "--reuseaddr", "--export-all", "--enable=receive-pack",
            "--listen=127.0.0.1", "--port=\(port)", "--base-path=\(folder.path)",
        ])
        try TestPort.awaitListener(on: port)
        try write(balance: "")
        try own.git("init", "-q", "-b", "main", own.path)
        try drawReferences()
        _ = try commitAll("The app")
    }

    /// Writes the app; `look` is extra JSON for the picture step of the test `testBalance`.
    func write(balance look: String) throws {
        let options = #""with": "fb", "options": ["device", "OS", "screenSize", "screenScale"]"#
        try folder.write(
            "app/App.xcworkspace/standin.json",
            """
            {"app": "App", "schemes": {"App": {"targets": ["AppTests", "AppSnapshotTests"]}},
             "targets": {
               "AppTests": {"kind": "unit", "host": "App",
                 "tests": ["CartTests/testEmpty", "CartTests/testFull"]},
               "AppSnapshotTests": {"kind": "unit", "host": "App", "tests": [
                 {"test": "HomeTests/testBalance", "does": [{"picture": {\(options)\(look)}}]},
                 {"test": "PayTests/testPay", "does": [{"picture": {\(options)}}]}]}}}
            """
        )
    }

    /// Writes an archive of a release that contains the program under test.
    private static func writeRelease(into folder: TemporaryFolder) throws {
        let program = "snapfarm-0.1.0/bin/snapfarm"
        try folder.write(program, "#!/bin/sh\nexec \"\(Program.path)\" \"$@\"\n")
        for words in [
            ["chmod", "755", program], ["tar", "-czf", AppMachine.archive, "snapfarm-0.1.0"],
        ] {
            let ending = try TestProcess.run(words, in: folder.path)
            try #require(ending.status == 0, "\(ending.said)")
        }
    }

    /// Draws references as the team's lane does, on simulators that are then deleted.
    ///
    /// The iPad lacks `testPay`.
    private func drawReferences() throws {
        let tests = ["iPhone 16": "", "iPad Pro 11-inch (M4)": "/HomeTests"]
        for (type, below) in tests.sorted(by: { $0.key > $1.key }) {
            let udid = try own.mac.simulator(type, type: type)
            let ending = try own.mac.run(
                [
                    "xcodebuild", "test", "-workspace", "App.xcworkspace", "-scheme", "App",
                    "-destination", "platform=iOS Simulator,id=\(udid)",
                    "-only-testing:AppSnapshotTests\(below)",
                ],
                [
                    "TEST_RUNNER_SNAPSHOT_TEST_RECORD_MODE": "true",
                    "TEST_RUNNER_FB_REFERENCE_IMAGE_DIR":
                        own.path + "/AppSnapshotTests/ReferenceImages",
                ],
                in: own.path
            )
            try #require(ending.status == 65, "\(ending.said)")
            _ = try own.mac.run(["xcrun", "simctl", "shutdown", udid])
            _ = try own.mac.run(["xcrun", "simctl", "delete", udid])
        }
    }

    /// Runs a line of a shell on the team's Mac, in the app's folder.
    func run(_ line: String, status: Int32 = 0, in name: String = "app") throws -> String {
        try own.run(line, status: status, in: folder.file(name))
    }

    /// Commits every change and returns the new commit.
    func commitAll(_ message: String) throws -> String {
        try own.git("-C", own.path, "add", "-A")
        try own.git("-C", own.path, "commit", "-q", "--allow-empty", "-m", message)
        let head = try own.git("-C", own.path, "rev-parse", "HEAD")
        return head.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Makes another Mac with a clone of the app.
    func machine(_ name: String) throws -> AppMachine {
        let machine = try AppMachine(folder, name, port: port)
        try machine.git("clone", "-q", own.path, machine.path)
        return machine
    }

    func simulatorsLeft() throws -> String { try own.simulatorsLeft() }

    /// Returns how often a tool was called on the team's Mac.
    func calls(of tool: String) throws -> Int {
        for line in try own.mac.trace(["--counts"]).split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            if words.last == tool, let count = words.first.flatMap({ Int($0) }) { return count }
        }
        return 0
    }

    struct Step: Decodable {
        let kind: String
        let text: String
    }

    /// Returns the steps that a Python program finds in a YAML file, which it sees as `config`.
    func steps(_ program: String, of file: String) throws -> [Step] {
        let head = """
            import json, sys, yaml
            config, steps_shown = yaml.safe_load(open(sys.argv[1])), []
            def show(kind, text):
                steps_shown.append({"kind": kind, "text": text})

            """
        let words = ["-c", head + program + "\njson.dump(steps_shown, sys.stdout)", file]
        let ending = try TestProcess.run(["python3"] + words, in: own.path)
        try #require(ending.status == 0, "\(ending.said)")
        return try JSONDecoder().decode([Step].self, from: Data(ending.output.utf8))
    }
}

/// A Mac with a work tree of the app.
///
/// Snapfarm is not installed yet.
struct AppMachine {
    /// The archive of the release that the Mac may install, in the shared folder.
    static let archive = "snapfarm-0.1.0-macos-arm64.tar.gz"

    let mac: StandInMac
    /// The work tree.
    let path: String
    private let environment: [String: String]

    /// Makes a Mac; `port` is the Git host's.
    init(_ folder: TemporaryFolder, _ name: String, port: Int) throws {
        mac = try StandInMac()
        path = folder.file(name)
        // Stands in for sudo: installs into one folder of the PATH instead of /usr/local.
        try mac.folder.write(
            "local/sudo",
            "#!/bin/sh\nexec \"$1\" \"$2\" \"$3\" \"$4\" \"${0%/*}/${5##*/}\"\n"
        )
        _ = try TestProcess.run(["chmod", "755", mac.folder.file("local/sudo")])
        var variables = mac.environment
        variables["PATH"] = mac.folder.file("local") + ":" + mac.path
        variables["SNAPFARM_XCODES"] = mac.folder.file("Applications")
        variables["SNAPFARM_CPU_PRESSURE"] = Program.idle
        let archive = folder.file(Self.archive)
        variables["SNAPFARM_URL"] = "file://" + archive
        let bytes = try Data(contentsOf: URL(fileURLWithPath: archive))
        variables["SNAPFARM_SHA256"] = Digest(of: bytes).hex
        variables["SNAPFARM_STORE"] = "git://127.0.0.1:\(port)/references.git"
        variables["LD_LIBRARY_PATH"] = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"]
        for role in ["AUTHOR", "COMMITTER"] {
            variables["GIT_\(role)_NAME"] = "Ada"
            variables["GIT_\(role)_EMAIL"] = "ada@example.org"
        }
        variables["GIT_CONFIG_NOSYSTEM"] = "1"
        variables["GIT_CONFIG_GLOBAL"] = "/dev/null"
        environment = variables
    }

    @discardableResult
    func git(_ words: String...) throws -> String {
        let ending = try TestProcess.run(["git"] + words, environment: environment)
        try #require(ending.status == 0, "git \(words): \(ending.said)")
        return ending.output
    }

    /// Runs a shell script in the work tree or `workFolder`, and returns its output.
    @discardableResult
    func run(
        _ script: String,
        _ variables: [String: String] = [:],
        shell: [String] = ["bash", "-eo", "pipefail", "-c"],
        status: Int32 = 0,
        in workFolder: String? = nil
    ) throws -> String {
        let ending = try TestProcess.run(
            shell + [script],
            environment: environment.merging(variables) { _, new in new },
            in: workFolder ?? path
        )
        let said = ending.said
        try #require(ending.status == status, "\(script): \(said)")
        return said
    }

    func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: path + "/" + name)
    }

    /// Returns the simulators as simctl lists them, or an empty string if there are none.
    func simulatorsLeft() throws -> String {
        let list = try mac.run(["xcrun", "simctl", "list", "devices", "-j"]).output
        return list.contains("udid") ? list : ""
    }

    /// Checks that a CI job passed all tests of a commit and left no simulator.
    func checkGreen(commit: String?) throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path + "/out/summary.json"))
        let summary = try SummaryJSON.decode(bytes)
        #expect(summary.state == .passed && summary.run.commit == commit)
        #expect(summary.counts.passed == summary.counts.planned && summary.counts.planned == 6)
        #expect(try simulatorsLeft() == "")
    }
}
