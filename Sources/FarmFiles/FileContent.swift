// The content of single files as texts that can be compared, with a check that it is the content of
// an earlier time.
import FarmCore
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// Reads what is at paths below a folder, or at absolute paths.
package struct FileContent: Sendable {
    private let root: String
    /// The time in milliseconds since 1970 after which a changed file is not read, or `nil` to read all.
    private let since: Int64?

    /// A change may have a time that is this much too early: file systems take it from a coarse clock.
    private static let coarseMilliseconds: Int64 = 20

    /// Reads below `root`; nothing is read of a file that changed at `since` or later, in
    /// milliseconds since 1970.
    package init(below root: String, unchangedSince since: Int64? = nil) {
        self.root = root
        self.since = since
    }

    /// Returns a text for what is at a path: another one for each content, and one if nothing is
    /// there.
    ///
    /// Returns `nil` for what cannot be read, is neither file nor folder, or has changed.
    package func text(at path: String) -> String? {
        let full = path.isAbsolutePath ? path : root + "/" + path
        guard !hasChanged(path) else { return nil }
        var status = stat()
        guard stat(full, &status) == 0 else {
            return [ENOENT, ENOTDIR].contains(errno) ? "none" : nil
        }
        // The path may end with a link, whose target has a time of its own.
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        if let since, !isFolder, Self.isNew(status, since) { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return "folder"
        case S_IFREG: return DigestStream.digest(ofFileAt: full).map { "file \($0.hex)" }
        default: return nil
        }
    }

    /// Whether a folder, link or file of the path has changed.
    ///
    /// Of the folders only those below `root` count, because others belong to others; and `root`
    /// itself where nothing else of the path exists.
    private func hasChanged(_ path: String) -> Bool {
        guard let since else { return false }
        let parts = path.pathParts.filter { !$0.isEmpty }
        var place = path.isAbsolutePath ? "" : root
        for (index, part) in parts.enumerated() {
            var status = stat()
            guard lstat("\(place)/\(part)", &status) == 0 else {
                return index == 0 && isNew(place, since)
            }
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            if !(path.isAbsolutePath && isFolder), Self.isNew(status, since) { return true }
            place += "/" + part
        }
        return false
    }

    private func isNew(_ path: String, _ since: Int64) -> Bool {
        var status = stat()
        return lstat(path, &status) != 0 || Self.isNew(status, since)
    }

    private static func isNew(_ status: stat, _ since: Int64) -> Bool {
        #if canImport(Darwin)
        let time = status.st_ctimespec
        #else
        let time = status.st_ctim
        #endif
        let milliseconds = Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
        return milliseconds >= since - coarseMilliseconds
    }
}
