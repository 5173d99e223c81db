// Which paths an archive may hold: whoever unpacks it must get the same files everywhere, and
// nothing outside the folder it is unpacked in.
import FarmCore

/// The rule for paths of files in an archive.
package enum ZipPaths {
    /// What the length field of a name can say.
    private static let bytesMax = 0xFFFF

    /// Checks paths in the order of their bytes.
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

    /// Relative, without empty parts, `.`, `..` and control characters.
    package static func isSafe(_ path: String) -> Bool {
        guard path.utf8.count <= bytesMax else { return false }
        guard path.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value != 127 }) else {
            return false
        }
        return path.pathParts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
    }
}
