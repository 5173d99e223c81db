// The rule for paths in an archive: it unpacks to the same files everywhere, and only below the
// target folder.
import FarmCore

/// The rule for paths of files in an archive.
package enum ZipPaths {
    /// The most bytes of a path: the largest value of the length field in a header.
    private static let bytesMax = 0xFFFF

    /// Checks the paths of an archive's files, which must be in the order of their bytes.
    ///
    /// - Throws: `ArtifactError` for an unsafe path, or one that occurs twice or is another's
    ///   folder.
    static func check(_ paths: [String]) throws(ArtifactError) {
        var seen: Set<String> = []
        for path in paths {
            guard isSafe(path) else { throw .unsafePath(String(path.prefix(200))) }
            guard seen.insert(path).inserted else { throw .duplicatePath(path) }
        }
        for path in paths {
            for index in path.utf8.indices where path.utf8[index] == UInt8(ascii: "/") {
                let folder = String(path[..<index])
                guard !seen.contains(folder) else { throw .duplicatePath(folder) }
            }
        }
    }

    /// Returns whether a path is relative, without empty parts, `.`, `..` and control characters.
    package static func isSafe(_ path: String) -> Bool {
        guard path.utf8.count <= bytesMax else { return false }
        guard path.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value != 127 }) else {
            return false
        }
        return path.pathParts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
    }
}
