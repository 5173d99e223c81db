// Lists the files that a test program left below a folder. Only regular files count, so that no
// pipe can block a reader. Links are listed apart: matplotlib links its expected pictures, which
// lie beside the tests. No capture is ever read through a link.
import FarmCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The regular files below a folder.
struct LeaseListing: Sendable {
    /// The most files that are listed: a picture has at most a sidecar, a reference, a failed and a
    /// diff picture beside it.
    private static let filesMax = 8 * FarmLimits.capturesPerLeaseMax
    private static let depthMax = 64

    /// The absolute path of the folder.
    let folder: String
    /// The relative paths of the regular files, sorted by bytes.
    private(set) var files: [String] = []
    /// The relative paths of links to regular files, also outside the folder, with the absolute
    /// paths of those files.
    private(set) var links: [String: String] = [:]
    /// The relative paths of links to anything else, or to nothing.
    private(set) var otherLinks: [String] = []

    /// Lists a folder; a missing folder has no files.
    init(of folder: String) throws {
        self.folder = folder
        try visit("", depth: 0)
        files.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private mutating func visit(_ relative: String, depth: Int) throws {
        guard depth < Self.depthMax else { throw DriverError.tooManyPictures(folder: folder) }
        guard let stream = opendir(relative.isEmpty ? folder : "\(folder)/\(relative)") else {
            return
        }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 1_024) { String(cString: $0) }
            }
            guard name != ".", name != ".." else { continue }
            let path = relative.isEmpty ? name : "\(relative)/\(name)"
            var status = stat()
            guard lstat("\(folder)/\(path)", &status) == 0 else { continue }
            switch status.st_mode & 0o170_000 {
            case 0o040_000: try visit(path, depth: depth + 1)
            case 0o100_000: files.append(path)
            case 0o120_000:
                if let file = linkedFile("\(folder)/\(path)") {
                    links[path] = file
                } else {
                    otherLinks.append(path)
                }
            default: break
            }
            guard files.count + links.count + otherLinks.count <= Self.filesMax else {
                throw DriverError.tooManyPictures(folder: folder)
            }
        }
    }
}

/// Returns the absolute path of the regular file that a link leads to, or `nil` if it leads to
/// none.
private func linkedFile(_ path: String) -> String? {
    guard let end = realpath(path, nil) else { return nil }
    defer { free(end) }
    let target = String(cString: end)
    return isRegularFile(target) ? target : nil
}

/// Whether there is a regular file at a path itself, not behind a link.
func isRegularFile(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && (status.st_mode & 0o170_000) == 0o100_000
}

/// Returns folder and file name of a relative path; the folder is empty at the top.
func splitPath(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", path) }
    return (String(path[..<slash]), String(path[path.utf8.index(after: slash)...]))
}

extension String {
    /// The text without `.png`, or `nil` if it has no such ending.
    var withoutPNG: String? { hasSuffix(".png") && count > 4 ? String(dropLast(4)) : nil }
}
