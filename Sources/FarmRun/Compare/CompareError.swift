// The errors of `snapfarm compare` as a whole. An error of one pair is in that pair's finding.
import FarmCore
import Foundation

/// An error that stops the whole comparison.
package enum CompareError: ExplainedError {
    case missing(String)
    /// The name of a side is no path; `cause` says why it is no reference set either.
    case unknown(String, cause: any ExplainedError)
    /// No test ran in a run, and the references that prove it green cannot be read.
    case noPictures(String, run: String, cause: any ExplainedError)
    case kinds(side: String, file: String)
    case noFile(String)
    case unreadable(String, reason: String)
    /// The folder of an option holds other files.
    case occupied(String, option: String)
    case write(String, reason: String)

    /// Returns the error of a failed write to `path`, with the reason in `errno`.
    static func writing(_ path: String) -> CompareError {
        .write(path, reason: String(cString: strerror(errno)))
    }

    package var code: String {
        switch self {
        case .missing, .unknown: "input-missing"
        case .noPictures: "input-without-pictures"
        case .kinds: "input-kinds-differ"
        case .noFile: "input-not-a-file"
        case .unreadable: "input-unreadable"
        case .occupied: "diff-folder-occupied"
        case .write: "output-unwritable"
        }
    }

    package var exit: ExitCode {
        switch self {
        case .kinds, .occupied: .usage
        case .missing, .noFile, .unreadable, .noPictures: .invalidInput
        case .unknown(_, let cause): cause.exit == .usage ? .invalidInput : cause.exit
        case .write: .inputOutput
        }
    }

    package var message: String {
        switch self {
        case .missing(let path): "\(path): nothing is there."
        case .unknown(let name, let cause):
            "\(name): nothing is there, and it names no reference set: \(cause.message)"
        case .noPictures(let name, let run, let cause):
            "\(name): no test ran in run \(run), and its pictures are the references of its pin, "
                + "which cannot be read: \(cause.message)"
        case .kinds(let side, let file): "\(file) is a single picture, but \(side) is not."
        case .noFile(let path): "\(path) is neither a file nor a folder."
        case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)."
        case .occupied(let path, _):
            "\(path) holds files that no comparison wrote, and its pictures might replace them."
        case .write(let path, let reason): "cannot write \(path): \(reason)."
        }
    }

    package var remedy: String {
        switch self {
        case .missing, .unreadable: "Check the path and its permissions."
        case .unknown(_, let cause):
            "A side is a path, or a set, revision, tag or pin of a pipeline with references. "
                + cause.remedy
        case .noPictures:
            "Compare beside the pipeline file, with its store, or name the output of the run that "
                + "is the proof."
        case .kinds: "Name two files, or two sides with many pictures."
        case .noFile: "Name a PNG file or a folder of them."
        case .occupied(_, let option): "Name an empty or a new folder with \(option)."
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
