// Files that nothing is lost with: views that are made again from what is kept, and probes. Written
// by Foundation, each would wait for the disk, and nobody asked for that.
import FarmCore
import FarmFiles
import Foundation

/// Files that need not survive a power cut.
package enum PassingFile {
    /// Writes a file in place of what has its name; returns before the bytes are on the disk.
    package static func write(
        _ bytes: some ContiguousBytes,
        to path: String
    ) throws(ArtifactError) {
        // A link is not followed.
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC
        let file = open(path, flags, 0o666)
        guard file >= 0 else { throw Posix.failure("create", path) }
        defer { _ = close(file) }
        try Posix.durably { () throws(FileFailure) in
            try FileDescriptors.write(bytes, to: file, path: path)
        }
    }
}
