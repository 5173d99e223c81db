// Removes folders that a test may have left in any state: read-only, closed, or a link in their place.
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// A folder with everything below it.
package enum FolderTree {
    /// Removes a file, a link or a folder with everything below it; follows no link.
    ///
    /// A folder that is closed to its owner is opened first. Entries that cannot be removed stay.
    package static func remove(_ path: String) {
        open(path)
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Gives the owner every right on a folder and on all folders below it.
    private static func open(_ path: String) {
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
