// A folder that other programs write to. Every path below it is opened name by name without
// following links, so that no link in a work tree redirects a read or a write.
import FarmCore
import Foundation

/// A folder below which nothing is read or written through a link.
///
/// The path of the folder itself may contain links, because the caller chose it.
package struct GuardedFolder: Sendable {
    /// The path of the folder, absolute or relative to the working folder.
    package let path: String

    /// The largest number of names in one path.
    private static let depthMax = 64

    package init(_ path: String) { self.path = path }

    /// Splits a relative path into its names; the empty path, which has none, is the folder itself.
    ///
    /// Throws if the path is unsafe.
    package static func parts(of relative: String) throws(GuardedFolderError) -> [String] {
        guard !relative.isEmpty else { return [] }
        let parts = relative.utf8
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        let safe = parts.allSatisfy {
            !$0.isEmpty && $0 != "." && $0 != ".." && !$0.utf8.contains(0)
        }
        guard safe, parts.count <= depthMax else { throw .unsafePath(relative) }
        return parts
    }

    /// Opens a folder below this one; with `making`, creates it if it is missing.
    ///
    /// Returns `nil` if it is missing and `making` is `false`.
    package func open(_ relative: String, making: Bool) throws(GuardedFolderError) -> OpenFolder? {
        let parts = try Self.parts(of: relative)
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        let descriptor = Foundation.open(path, flags)
        guard descriptor >= 0 else {
            if errno == ENOENT, !making { return nil }
            throw .system("open the folder \(path)")
        }
        var folder = OpenFolder(descriptor, path: path)
        for part in parts {
            let inner = folder.path + "/" + part
            var next = openat(folder.descriptor, part, flags | O_NOFOLLOW)
            if next < 0, errno == ENOENT {
                guard making else { return nil }
                guard mkdirat(folder.descriptor, part, 0o777) == 0 || errno == EEXIST else {
                    throw .system("make the folder \(inner)")
                }
                next = openat(folder.descriptor, part, flags | O_NOFOLLOW)
            }
            guard next >= 0 else {
                guard ![ELOOP, ENOTDIR].contains(errno) else { throw .throughLink(inner) }
                throw .system("open the folder \(inner)")
            }
            folder = OpenFolder(next, path: inner)
        }
        return folder
    }

    /// Splits a relative path into folder and file name.
    package static func split(_ relative: String) -> (folder: String, name: String) {
        guard let slash = relative.utf8.lastIndex(of: UInt8(ascii: "/")) else {
            return ("", relative)
        }
        return (
            String(Substring(relative.utf8[..<slash])),
            String(Substring(relative.utf8[relative.utf8.index(after: slash)...]))
        )
    }

    /// Returns the status of the file at a path, or `nil` if there is none.
    package func status(_ relative: String) throws(GuardedFolderError) -> FileStatus? {
        let (folder, name) = Self.split(relative)
        return try open(folder, making: false)?.status(name)
    }

    /// Reads the bytes of a regular file.
    package func read(_ relative: String, bytesMax: Int) throws(GuardedFolderError) -> Data {
        try readFile(relative, bytesMax: bytesMax).bytes
    }

    /// Reads the bytes of a regular file, with its status when it was read.
    package func readFile(
        _ relative: String,
        bytesMax: Int
    ) throws(GuardedFolderError) -> (bytes: Data, status: FileStatus) {
        _ = try Self.parts(of: relative)
        let (folder, name) = Self.split(relative)
        guard let open = try open(folder, making: false) else {
            throw .system(
                doing: "read \(path)/\(relative)",
                reason: String(cString: strerror(ENOENT))
            )
        }
        return try open.read(name, bytesMax: bytesMax)
    }

    /// Writes a file whole or not at all; creates its parent folders.
    @discardableResult
    package func write(_ relative: String, _ bytes: Data) throws(GuardedFolderError) -> FileStatus {
        _ = try Self.parts(of: relative)
        let (folder, name) = Self.split(relative)
        guard let open = try open(folder, making: true) else { throw .unsafePath(relative) }
        return try open.write(name, bytes, mode: 0o644)
    }
}

/// A cache of the open folder that was used last, because callers' files are sorted by folder.
package struct RecentFolder {
    private let root: GuardedFolder
    private var last: (relative: String, folder: OpenFolder)?

    package init(in root: GuardedFolder) { self.root = root }

    /// Returns the folder at a relative path; creates it if it is missing.
    package mutating func at(_ relative: String) throws(GuardedFolderError) -> OpenFolder {
        if let last, last.relative == relative { return last.folder }
        guard let folder = try root.open(relative, making: true) else {
            throw .unsafePath(relative)
        }
        last = (relative, folder)
        return folder
    }
}
