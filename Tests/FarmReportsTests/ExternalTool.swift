// External programs that validate our documents: xmllint, python3. Without them a test is reported
// as skipped, never passed silently.
import FarmTesting
import Foundation
import Testing

enum ExternalTool {
    /// Returns the path of a file in the repository.
    static func repositoryFile(_ path: String, file: String = #filePath) -> String {
        let folder = URL(fileURLWithPath: file).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return folder.appendingPathComponent(path).path
    }

    static let browser = "/usr/lib/chromium/chromium-headless-shell"

    static var hasXmllint: Bool { succeeds(["xmllint", "--version"]) }
    static var hasJSONSchema: Bool { succeeds(["python3", "-c", "import jsonschema"]) }
    static var hasPython: Bool { succeeds(["python3", "-c", "import json"]) }

    private static func succeeds(_ words: [String]) -> Bool {
        (try? run(words))?.status == 0
    }

    static func run(_ words: [String]) throws -> (status: Int32, output: String) {
        let ending = try TestProcess.run(words)
        return (ending.status, ending.output + ending.errors)
    }
}
