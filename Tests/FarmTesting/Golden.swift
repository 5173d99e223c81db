import Foundation
import Testing

/// Compares text with a golden file beside the test's source.
///
/// `SNAPFARM_UPDATE_GOLDEN=1` rewrites the file instead; CI never sets it.
package func expectGolden(
    _ text: String,
    _ name: String,
    file: String = #filePath,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let folder = (file as NSString).deletingLastPathComponent + "/Golden"
    let path = folder + "/" + name
    if ProcessInfo.processInfo.environment["SNAPFARM_UPDATE_GOLDEN"] == "1" {
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return
    }
    let golden = try? String(contentsOfFile: path, encoding: .utf8)
    let differing = firstDifference(text, golden ?? "")
    #expect(
        golden == text,
        """
        \(path) differs from line \(differing.line): \
        expected \(differing.expected), got \(differing.actual). \
        Run: make golden, then read git diff.
        """,
        sourceLocation: sourceLocation
    )
}

private func firstDifference(
    _ actual: String,
    _ expected: String
) -> (line: Int, expected: String, actual: String) {
    let left = actual.split(separator: "\n", omittingEmptySubsequences: false)
    let right = expected.split(separator: "\n", omittingEmptySubsequences: false)
    for index in 0..<max(left.count, right.count) {
        let a = index < left.count ? String(left[index]) : "<end>"
        let b = index < right.count ? String(right[index]) : "<end>"
        if a != b { return (index + 1, b, a) }
    }
    return (0, "", "")
}
