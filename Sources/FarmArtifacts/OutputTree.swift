// The paths of files below an output folder. Jobs, cells, suites and names come from workers and
// coordinators on other machines; none of them leads out of the folder, as a path or through a
// link.
import Foundation

/// A folder for files with names from other machines.
package struct OutputTree: Sendable {
    /// The absolute path of the folder; it may contain links, because the caller named it.
    package let root: String

    package init(_ root: String) { self.root = root }

    /// Returns the absolute path of a file below the folder, and makes the folders above it.
    ///
    /// The caller must not follow a link with the file's name: `BlobStore.link` and
    /// `UnsyncedFile.write` do not.
    ///
    /// - Throws: `ArtifactError.unsafePath` for `..`, an empty part, a control character, or a
    ///   folder that is a link.
    package func place(_ relative: String) throws(ArtifactError) -> String {
        guard ZipPaths.isSafe(relative) else { throw .unsafePath(String(relative.prefix(200))) }
        var folder = root
        for part in relative.utf8.split(separator: UInt8(ascii: "/")).dropLast() {
            folder += "/" + String(Substring(part))
            try Posix.makeFolder(folder)
            var status = stat()
            guard lstat(folder, &status) == 0 else { throw Posix.failure("stat", folder) }
            guard status.st_mode & S_IFMT == S_IFDIR else { throw .unsafePath(relative) }
        }
        return root + "/" + relative
    }
}
