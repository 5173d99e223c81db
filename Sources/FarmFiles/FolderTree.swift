// Creates and removes folders that a test may have left in any state: read-only, without access, or
// with a file or a link in their place.
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// Creates and removes folders with everything below them.
package enum FolderTree {
    /// Creates a folder that its owner can use, with its parent folders.
    ///
    /// Folders of this user without access get it back. If something else than a folder is at the
    /// path, it is removed; a link to a folder stays.
    package static func make(_ path: String) throws {
        var place = ""
        for part in path.split(separator: "/") {
            place += "/\(part)"
            guard access(place, X_OK) != 0, errno == EACCES else { continue }
            _ = chmod(place, 0o700)
        }
        var status = stat()
        if stat(path, &status) != 0 || status.st_mode & S_IFMT != S_IFDIR { remove(path) }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        if access(path, R_OK | W_OK | X_OK) != 0 { _ = chmod(path, 0o700) }
    }

    /// Removes a file, a link or a folder with everything below it; follows no link.
    ///
    /// Restores the owner's access to closed folders first. Entries that cannot be removed stay.
    package static func remove(_ path: String) {
        grantOwnerAccess(path)
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Gives the owner all rights on a folder and on all folders below it.
    private static func grantOwnerAccess(_ path: String) {
        var folders = [path]
        while let folder = folders.popLast() {
            var status = stat()
            guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { continue }
            if status.st_mode & 0o700 != 0o700 { _ = chmod(folder, 0o700) }
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            folders += names.map { "\(folder)/\($0)" }
        }
    }
}
