// A Mac for tests that have none: a folder with a stand-in of xcodebuild, xcrun, simctl and
// xcresulttool, which Tests/XcodeStandIn explains. Nothing here was tried on a Mac.
import Foundation

/// A folder that is a Mac, until the value goes away.
package final class StandInMac: Sendable {
    package let folder: TemporaryFolder

    /// - Parameter machine: the JSON of machine.json; what it leaves out has defaults.
    /// - Throws: ``Refusal`` for a machine file that cannot be read.
    package init(_ machine: String = "{}") throws {
        folder = try TemporaryFolder("mac")
        try folder.write("machine.json", machine)
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("XcodeStandIn").path
        let ending = try TestProcess.run(
            ["python3", source + "/bin/standin-install", folder.path]
        )
        guard ending.status == 0 else { throw Refusal(text: ending.errors) }
    }

    /// What the stand-in said when it could not be made or asked.
    package struct Refusal: Error {
        package let text: String
    }

    /// A PATH that finds its tools first.
    package var path: String { folder.file("bin") + ":/usr/bin:/bin:/usr/sbin:/sbin" }

    /// The environment that a program on this Mac has: its tools, its home, nothing of the host.
    package var environment: [String: String] {
        ["PATH": path, "HOME": folder.path, "TMPDIR": NSTemporaryDirectory()]
    }

    /// Runs one of its tools to its end.
    package func run(
        _ words: [String],
        _ variables: [String: String] = [:],
        in workFolder: String? = nil
    ) throws -> ProcessEnding {
        try start(words, variables, in: workFolder).ending(within: 120)
    }

    /// Starts one of its tools.
    package func start(
        _ words: [String],
        _ variables: [String: String] = [:],
        in workFolder: String? = nil
    ) throws -> TestProcess {
        var words = words
        if let tool = words.first, !tool.contains("/") { words[0] = folder.file("bin/" + tool) }
        return try TestProcess(
            words,
            environment: environment.merging(variables) { _, new in new },
            in: workFolder
        )
    }

    /// What is to go wrong from now on: the JSON of trouble.json.
    package func trouble(_ entries: String) throws { try folder.write("trouble.json", entries) }

    /// The trace as comparable text; `options` are those of `standin-trace`.
    package func trace(_ options: [String] = []) throws -> String {
        let ending = try run(["standin-trace"] + options)
        guard ending.status == 0 else { throw Refusal(text: ending.errors) }
        return ending.output
    }

    /// Makes a simulator in the default device set; its UDID.
    package func simulator(_ name: String, type: String = "iPhone 16") throws -> String {
        let ending = try run(["xcrun", "simctl", "create", name, type, "iOS18.5"])
        guard ending.status == 0 else { throw Refusal(text: ending.errors) }
        return ending.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
