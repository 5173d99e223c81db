// Files whose loss does no harm: probes, and views that can be made again. Foundation would wait
// for the disk at each of them.
import FarmCore
import FarmFiles
import Foundation

/// Writes files that need not survive a power cut.
package enum UnsyncedFile {
    /// Writes bytes to a file in place of any with its name; returns before they are on the disk.
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
