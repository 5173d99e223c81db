// The errors that end `snapfarm watch`, or that it shows until the next change.
import FarmCore

enum WatchError: ExplainedError, Hashable {
    case tooManyFiles(String, max: Int)
    /// The pipeline file names another reference store than at the start.
    case otherStore
    /// An error of the system or of a library that no command explains.
    case unexplained(String)

    var code: String {
        switch self {
        case .tooManyFiles: "watch-too-many-files"
        case .otherStore: "watch-other-store"
        case .unexplained: "watch-failed"
        }
    }
    var message: String {
        switch self {
        case .tooManyFiles(let folder, let max):
            "\(folder) has more than \(max.grouped) files to watch."
        case .otherStore: "the pipeline file names another reference store now."
        case .unexplained(let reason): "\(reason)."
        }
    }
    var remedy: String {
        switch self {
        case .tooManyFiles:
            "Name folders that no test reads in .gitignore or in `pathsIgnore`, and start again."
        case .otherStore: "End `snapfarm watch` with Ctrl-C, and start it again."
        case .unexplained: "Save a file to try again."
        }
    }
    var exit: ExitCode { .configuration }
}
