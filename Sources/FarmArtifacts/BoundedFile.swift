// Reads files that may come from elsewhere: only regular ones, and never more than a limit.
import Foundation

/// Reads files of unknown origin.
package enum BoundedFile {
    /// Returns all bytes of a file, or `nil` if there is no regular file or it has more than
    /// `bytesMax`.
    package static func read(_ path: String, bytesMax: Int) throws -> Data? {
        // Links are not followed: a folder from CI may point anywhere.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard attributes?[.type] as? FileAttributeType == .typeRegular else { return nil }
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? handle.close() }
        let bytes = try handle.read(upToCount: bytesMax + 1) ?? Data()
        return bytes.count > bytesMax ? nil : bytes
    }
}
