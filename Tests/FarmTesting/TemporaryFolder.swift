// Folders for tests that are removed after use.
import Foundation

/// A fresh folder that is removed when the value goes away.
package final class TemporaryFolder: Sendable {
    /// The absolute path, without a trailing slash.
    package let path: String

    package init(_ purpose: String = "test") throws {
        let base = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
        path = base + "/snapfarm-\(purpose)-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true
        )
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Returns the absolute path of an entry.
    package func file(_ relative: String) -> String { path + "/" + relative }

    /// Writes a file and its folders; returns its absolute path.
    @discardableResult
    package func write(_ relative: String, _ bytes: some DataProtocol) throws -> String {
        let target = file(relative)
        try FileManager.default.createDirectory(
            atPath: (target as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true
        )
        try Data(bytes).write(to: URL(fileURLWithPath: target))
        return target
    }

    /// Writes a text file and its folders; returns its absolute path.
    @discardableResult
    package func write(_ relative: String, _ text: String) throws -> String {
        try write(relative, Data(text.utf8))
    }
}
