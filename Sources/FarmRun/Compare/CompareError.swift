// The errors of `snapfarm compare` as a whole. An error of one pair is in that pair's finding.
import FarmCore
import Foundation

/// An error that stops the whole comparison.
package enum CompareError: ExplainedError {
    case missing(String)
    case kinds(folder: String, file: String)
    case noFile(String)
    case unreadable(String, reason: String)
    case differencesOccupied(String)
    case write(String, reason: String)

    /// Returns the error of a failed write to `path`, with the reason in `errno`.
    static func writing(_ path: String) -> CompareError {
        .write(path, reason: String(cString: strerror(errno)))
    }

    package var code: String {
        switch self {
        case .missing: "input-missing"
        case .kinds: "input-kinds-differ"
        case .noFile: "input-not-a-file"
        case .unreadable: "input-unreadable"
        case .differencesOccupied: "diff-folder-occupied"
        case .write: "output-unwritable"
        }
    }

    package var exit: ExitCode {
        switch self {
        case .kinds, .differencesOccupied: .usage
        case .missing, .noFile, .unreadable: .invalidInput
        case .write: .inputOutput
        }
    }

    package var message: String {
        switch self {
        case .missing(let path): "\(path): nothing is there."
        case .kinds(let folder, let file): "\(folder) is a folder, but \(file) is a file."
        case .noFile(let path): "\(path) is neither a file nor a folder."
        case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)."
        case .differencesOccupied(let path):
            "\(path) holds files that no comparison wrote, and its pictures might replace them."
        case .write(let path, let reason): "cannot write \(path): \(reason)."
        }
    }

    package var remedy: String {
        switch self {
        case .missing, .unreadable: "Check the path and its permissions."
        case .kinds: "Name two files or two folders."
        case .noFile: "Name a PNG file or a folder of them."
        case .differencesOccupied: "Name an empty or a new folder with --diff-dir."
        case .write: "Free space, or write elsewhere; nothing was changed in the inputs."
        }
    }
}

/// The errors of reading one picture's file.
enum PictureFileError: ExplainedError, Hashable {
    case missing
    case unreadable(reason: String)
    case notAFile

    var code: String {
        switch self {
        case .missing: "picture-missing"
        case .unreadable: "picture-unreadable"
        case .notAFile: "picture-not-a-file"
        }
    }
    var message: String {
        switch self {
        case .missing: "there is no such file."
        case .unreadable(let reason): "the file cannot be read: \(reason)."
        case .notAFile: "it is no regular file."
        }
    }
    var remedy: String {
        switch self {
        case .missing: "Check the path; relative ones begin at the working folder."
        case .unreadable: "Check its permissions."
        case .notAFile: "Name a PNG file."
        }
    }
    var exit: ExitCode { .invalidInput }
}
