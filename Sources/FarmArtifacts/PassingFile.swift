// Files that nothing is lost with: views that are made again from what is kept, and probes. Written
// by Foundation, each would wait for the disk, and nobody asked for that.
import Foundation

/// Files that need not survive a power cut.
package enum PassingFile {
    /// Writes a file in place of what has its name; returns before the bytes are on the disk.
    package static func write(
        _ bytes: some ContiguousBytes,
        to path: String
    ) throws(ArtifactError) {
        let file = try PosixFile.replacing(path)
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(ArtifactError) in try file.write(bytes) }
        }
        try result.get()
    }
}
