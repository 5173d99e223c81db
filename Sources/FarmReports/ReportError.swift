// The errors of documents. Rendering cannot fail; only reading and writing summary.json can.
import FarmCore

/// The reason why a summary cannot be written or read.
package enum ReportError: ExplainedError, Equatable {
    /// A number is not finite, so JSON has no spelling for it.
    case notWritable(String)
    case tooLarge(bytes: Int, bytesMax: Int)
    case version(found: Int, known: Int)
    case malformed(String)

    package var code: String {
        switch self {
        case .notWritable: "summary-not-writable"
        case .tooLarge: "summary-too-large"
        case .version: "summary-version"
        case .malformed: "summary-malformed"
        }
    }

    package var message: String {
        switch self {
        case .notWritable(let field): "the summary cannot be written: \(field)."
        case .tooLarge(let bytes, let bytesMax):
            "the summary has \(bytes) bytes; at most \(bytesMax) are read."
        case .version(let found, let known):
            "the summary has schemaVersion \(found); this program knows \(known)."
        case .malformed(let reason): "the summary is not a snapfarm summary: \(reason)."
        }
    }

    package var remedy: String {
        switch self {
        case .notWritable: "This is a fault of snapfarm: please report it with the run's logs."
        case .tooLarge: "Split the run with `--select`."
        case .version: "Use the snapfarm that wrote it, or a newer one."
        case .malformed: "Give the `summary.json` of an output folder; run again if it was cut."
        }
    }

    package var exit: ExitCode {
        if case .notWritable = self { .internal } else { .invalidInput }
    }
}
