// A stand-in for a Mac: a folder with stand-ins for xcodebuild, xcrun, simctl and xcresulttool,
// described in Tests/XcodeStandIn. Nothing here was tried on a Mac.
import Foundation

/// A folder that acts as a Mac; removed with the value.
package final class StandInMac: Sendable {
    package let folder: TemporaryFolder

    /// Makes a Mac.
    ///
    /// - Parameter machine: The JSON of machine.json; omitted keys have defaults.
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

    /// The stand-in's message when it could not be made or called.
    package struct Refusal: Error {
        package let text: String
    }

    /// A PATH with the Mac's tools first.
    package var path: String { folder.file("bin") + ":/usr/bin:/bin:/usr/sbin:/sbin" }

    /// The environment of a program on this Mac: its tools, its home, nothing of the host.
    package var environment: [String: String] {
        ["PATH": path, "HOME": folder.path, "TMPDIR": NSTemporaryDirectory()]
    }

    /// Runs one of the Mac's tools to its end.
    package func run(
        _ words: [String],
        _ variables: [String: String] = [:],
        in workFolder: String? = nil
    ) throws -> ProcessEnding {
        try start(words, variables, in: workFolder).ending(within: 120)
    }

    /// Starts one of the Mac's tools.
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

    /// Sets the troubles from now on: the JSON of trouble.json.
    package func trouble(_ entries: String) throws { try folder.write("trouble.json", entries) }

    /// Returns the trace as comparable text; `options` are those of `standin-trace`.
    package func trace(_ options: [String] = []) throws -> String {
        let ending = try run(["standin-trace"] + options)
        guard ending.status == 0 else { throw Refusal(text: ending.errors) }
        return ending.output
    }

    /// Makes a simulator in the default device set and returns its UDID.
    package func simulator(_ name: String, type: String = "iPhone 16") throws -> String {
        let ending = try run(["xcrun", "simctl", "create", name, type, "iOS18.5"])
        guard ending.status == 0 else { throw Refusal(text: ending.errors) }
        return ending.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
