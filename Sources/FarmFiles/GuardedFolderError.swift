// The errors of files below a guarded folder: of a work tree, a cache or an import.
import FarmCore
import Foundation

/// The reason why a file below a folder was not read or written.
package enum GuardedFolderError: ExplainedError, Equatable {
    /// The path is absolute, contains `..`, has an empty name or is too deep.
    case unsafePath(String)
    /// A parent folder in the path is a symbolic link, or not a folder.
    case throughLink(String)
    /// A link, pipe, socket, device or folder is at the place of a file.
    case notAFile(String)
    case tooLarge(String, bytes: Int, bytesMax: Int)
    case tooManyFiles(String, filesMax: Int)
    /// The file grew or shrank while it was read.
    case unstable(String)
    case system(doing: String, reason: String)

    package var code: String {
        switch self {
        case .unsafePath: "path-unsafe"
        case .throughLink: "path-through-link"
        case .notAFile: "path-not-a-file"
        case .tooLarge: "file-too-large"
        case .tooManyFiles: "files-too-many"
        case .unstable: "file-changing"
        case .system: "file-io-failed"
        }
    }

    package var exit: ExitCode {
        switch self {
        case .unsafePath, .throughLink, .notAFile, .tooLarge, .tooManyFiles: .invalidInput
        case .unstable: .busy
        case .system: .inputOutput
        }
    }

    package var message: String {
        switch self {
        case .unsafePath(let path): "\(path.debugDescription) is not a path below its folder."
        case .throughLink(let path): "\(path): a link or a file is where a folder must be."
        case .notAFile(let path): "\(path): this is not a regular file."
        case .tooLarge(let path, let bytes, let bytesMax):
            "\(path): \(bytes) bytes, more than \(bytesMax)."
        case .tooManyFiles(let path, let filesMax): "\(path): more than \(filesMax) files."
        case .unstable(let path): "\(path): the file changed while it was read."
        case .system(let doing, let reason): "\(doing): \(reason)."
        }
    }

    package var remedy: String {
        switch self {
        case .unsafePath: "Name a path below the folder, without \"..\"."
        case .throughLink: "Replace it by a folder; nothing is read or written through links."
        case .notAFile: "Move it away; only regular files are pictures."
        case .tooLarge: "Remove the file, or capture a smaller part of the screen."
        case .tooManyFiles: "Name a folder further down."
        case .unstable: "Let the program that writes it finish, then try again."
        case .system: "Check the disk and the permissions, then try again."
        }
    }

    /// Returns an error with the reason of the last failed system call.
    ///
    /// Call it before anything else can change `errno`.
    package static func system(_ doing: String) -> GuardedFolderError {
        .system(doing: doing, reason: String(cString: strerror(errno)))
    }
}
