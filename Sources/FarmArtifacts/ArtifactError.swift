// The errors of stored bytes and of archives of them.
import FarmCore
import Foundation

/// The reason why bytes could not be stored, found or packed.
package enum ArtifactError: ExplainedError, Hashable {
    case missing(Digest)
    /// The bytes of a stored blob no longer have the digest of its name.
    case damaged(Digest)
    /// The digest of received bytes is not the announced one.
    case mismatch(expected: Digest, actual: Digest)
    case tooLarge(bytesMax: Int)
    case diskFull(path: String)
    /// A system call failed on a path; `text` is the system's description of the error.
    case system(operation: String, path: String, text: String)
    case unsafePath(String)
    case duplicatePath(String)
    /// zlib failed to pack or unpack a file; it does so only without memory.
    case noMemory
    /// An error of the bucket that holds the blobs.
    case bucket(BucketError)

    package var code: String {
        switch self {
        case .missing: "blob-missing"
        case .damaged: "blob-damaged"
        case .mismatch: "blob-mismatch"
        case .tooLarge: "blob-too-large"
        case .diskFull: "disk-full"
        case .system: "artifact-io"
        case .unsafePath: "archive-path-refused"
        case .duplicatePath: "archive-path-duplicate"
        case .noMemory: "archive-no-memory"
        case .bucket(let error): error.code
        }
    }

    package var message: String {
        switch self {
        case .missing(let digest): "the blob \(digest) is not in the store."
        case .damaged(let digest): "the bytes of blob \(digest) have changed where it is stored."
        case .mismatch(let expected, let actual):
            "bytes announced as \(expected) arrived as \(actual)."
        case .tooLarge(let bytesMax): "the bytes are over the limit of \(bytesMax.grouped)."
        case .diskFull(let path): "\(path): the disk is full."
        case .system(let operation, let path, let text): "\(path): \(operation) failed: \(text)."
        case .unsafePath(let path): "the path \(path.debugDescription) is not safe."
        case .duplicatePath(let path):
            "the archive path \(path.debugDescription) is used twice, or is also a folder."
        case .noMemory: "there is no memory to compress or unpack a file."
        case .bucket(let error): error.message
        }
    }

    package var remedy: String {
        switch self {
        case .missing: "Run those tests again, or put the blob back from a copy."
        case .damaged:
            "Check the disk, remove that blob from `blobs` or the bucket, then run those tests again."
        case .mismatch: "Send it again; if this repeats, check the network between the machines."
        case .tooLarge: "Make the file smaller; the limit is fixed."
        case .diskFull: "Free some space, or move the data folder with `--data`; then run it again."
        case .system: "Check the permissions and the disk of that folder."
        case .unsafePath: "Rename the suite or the snapshot: a path is relative, without `..`."
        case .duplicatePath: "Rename one of the snapshots."
        case .noMemory: "Run fewer workers on this machine."
        case .bucket(let error): error.remedy
        }
    }

    package var exit: ExitCode {
        switch self {
        case .missing, .damaged, .diskFull, .system: .inputOutput
        case .mismatch, .noMemory: .busy
        case .tooLarge, .unsafePath, .duplicatePath: .invalidInput
        case .bucket(let error): error.exit
        }
    }
}
