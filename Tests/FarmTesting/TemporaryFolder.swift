// What every test target needs and nothing else: folders that vanish, seeds that are printed,
// golden files that explain themselves.
import Foundation

/// A fresh folder that is removed when the value goes away.
package final class TemporaryFolder: Sendable {
    /// Absolute, without a trailing slash.
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

    /// Absolute path of something inside.
    package func file(_ relative: String) -> String { path + "/" + relative }

    /// Writes a file, making its folders; returns its absolute path.
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

    /// Writes a text file, making its folders; returns its absolute path.
    @discardableResult
    package func write(_ relative: String, _ text: String) throws -> String {
        try write(relative, Data(text.utf8))
    }
}
