// The errors of packing a job's files, and of using them on another machine.
import FarmCore

/// The reason why files could not be packed for other machines, or unpacked on one.
package enum BundleError: ExplainedError, Hashable {
    /// No file matches a pattern, or a needed file is missing.
    case noMatch(String)
    case tooLarge(what: String, count: Int, countMax: Int)
    /// The files of a bundle have more than `bytesMax` bytes; `largest` are its largest files with
    /// their bytes.
    case tooManyBytes(Int, bytesMax: Int, largest: [String])
    /// A file cannot be in a bundle, such as a link that leads out of the work tree; `fact` is the
    /// reason.
    case refused(path: String, fact: String)
    /// The zip is not one that `snapfarm` packed as a bundle; `fact` names the difference.
    case foreign(Digest, fact: String)
    case platform(needs: String, has: String)
    /// The path at which the bundle's tests were built cannot lead to the bundle here; `fact` is
    /// the reason.
    case place(String, fact: String)
    case placeBusy(String)

    package var code: String {
        switch self {
        case .noMatch: "bundle-no-match"
        case .tooLarge, .tooManyBytes: "bundle-too-large"
        case .refused: "bundle-path-refused"
        case .foreign: "bundle-foreign"
        case .platform: "bundle-platform"
        case .place: "bundle-place"
        case .placeBusy: "bundle-place-busy"
        }
    }
    package var message: String {
        switch self {
        case .noMatch(let pattern): "no file of the work tree matches \(pattern.debugDescription)."
        case .tooLarge(let what, let count, let countMax):
            "the bundle has \(count.grouped) \(what), more than \(countMax.grouped)."
        case .tooManyBytes(let bytes, let bytesMax, let largest):
            "the bundle would have \(bytes.grouped) bytes, more than \(bytesMax.grouped); its largest "
                + "files: \(largest.joined(separator: ", "))."
        case .refused(let path, let fact): "\(path.prefix(200).debugDescription) \(fact)."
        case .foreign(let digest, let fact): "the bundle \(digest) \(fact)."
        case .platform(let needs, let has):
            "the job's test program was built for \(needs); this worker is \(has)."
        case .place(let path, let fact):
            "the job's tests look for files at \(path), where they were built, and here \(fact)."
        case .placeBusy(let path):
            "another lease has \(path), where the job's tests were built."
        }
    }
    package var remedy: String {
        switch self {
        case .noMatch: "Correct the job's `bundle:`, or build what it names first."
        case .tooLarge: "Name fewer files in `bundle:`; leave out build products and histories."
        case .tooManyBytes:
            "Name fewer files in `bundle:`; leave out histories. Of an app, build what the tests need, "
                + "for one architecture (ONLY_ACTIVE_ARCH=YES)."
        case .refused: "Leave it out of `bundle:`, or put a file in its place."
        case .foreign: "Submit the run again with the same version of snapfarm."
        case .platform: "Submit from a machine like the workers, or start workers like it."
        case .place:
            "Build in a folder whose path is free on all workers and may be made there; or run the job "
                + "without --coordinator on the machine that builds."
        case .placeBusy: "The job runs when that lease has ended; or start fewer workers there."
        }
    }
    package var exit: ExitCode {
        switch self {
        case .noMatch, .tooLarge, .tooManyBytes, .refused, .foreign: .invalidInput
        case .platform, .place: .configuration
        case .placeBusy: .busy
        }
    }
}
