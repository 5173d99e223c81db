// The errors of reading a zip from elsewhere. If a reader repaired archives, two programs would
// read different files from one archive; so every doubt is a refusal.
import FarmCore

/// The reason why an archive cannot be read.
package enum ZipReadError: ExplainedError, Hashable {
    case unreadable(path: String)
    /// The file is no zip, or an incomplete or wrong one; `fact` names the fault.
    case malformed(path: String, fact: String)
    /// A count is over its limit `countMax`; `what` names the counted things.
    case tooLarge(path: String, what: String, count: Int, countMax: Int)
    /// A name leaves the archive's folder, an entry is a link, or two files have one name.
    case unsafeEntry(path: String, entry: String, fact: String)
    /// An entry uses a method or feature that pictures never need.
    case unsupported(path: String, entry: String, fact: String)
    /// The bytes of an entry do not match the directory.
    case damaged(path: String, entry: String, fact: String)

    package var code: String {
        switch self {
        case .unreadable: "archive-unreadable"
        case .malformed: "archive-malformed"
        case .tooLarge: "archive-too-large"
        case .unsafeEntry: "archive-entry-unsafe"
        case .unsupported: "archive-unsupported"
        case .damaged: "archive-damaged"
        }
    }

    package var message: String {
        switch self {
        case .unreadable(let path): "\(path): cannot be read; is it there?"
        case .malformed(let path, let fact): "\(path): is not a whole zip: \(fact)."
        case .tooLarge(let path, let what, let count, let countMax):
            "\(path): \(what) \(count.grouped), more than \(countMax.grouped)."
        case .unsafeEntry(let path, let entry, let fact),
            .unsupported(let path, let entry, let fact),
            .damaged(let path, let entry, let fact):
            "\(path): \(entry.prefix(200).debugDescription) \(fact)."
        }
    }

    package var remedy: String {
        switch self {
        case .unreadable: "Name the FailureDiffs.zip that the run left, or its folder."
        case .malformed, .damaged: "Download the artifact again; compare its SHA-256."
        case .tooLarge, .unsafeEntry, .unsupported:
            "Use FailureDiffs.zip as snapfarm wrote it; this one was made by something else."
        }
    }

    package var exit: ExitCode {
        switch self {
        case .unreadable, .malformed, .tooLarge, .unsafeEntry, .unsupported, .damaged:
            .invalidInput
        }
    }
}
