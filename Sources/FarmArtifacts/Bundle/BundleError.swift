import FarmCore

/// Why files could not be packed for other machines, or unpacked on one.
package enum BundleError: ExplainedError, Hashable {
    /// A pattern or a needed file that is not there.
    case noMatch(String)
    case tooLarge(what: String, count: Int, countMax: Int)
    /// A link that leads out of the work tree, or a name a bundle may not have.
    case refused(path: String, fact: String)
    /// The bundle's zip is not one that `snapfarm` packed.
    case foreign(Digest, fact: String)
    case platform(needs: String, has: String)

    package var code: String {
        switch self {
        case .noMatch: "bundle-no-match"
        case .tooLarge: "bundle-too-large"
        case .refused: "bundle-path-refused"
        case .foreign: "bundle-foreign"
        case .platform: "bundle-platform"
        }
    }
    package var message: String {
        switch self {
        case .noMatch(let pattern): "no file of the work tree matches \(pattern.debugDescription)."
        case .tooLarge(let what, let count, let countMax):
            "the bundle has \(count.grouped) \(what), more than \(countMax.grouped)."
        case .refused(let path, let fact): "\(path.prefix(200).debugDescription) \(fact)."
        case .foreign(let digest, let fact): "the bundle \(digest) \(fact)."
        case .platform(let needs, let has):
            "the job's test program was built for \(needs); this worker is \(has)."
        }
    }
    package var remedy: String {
        switch self {
        case .noMatch: "Correct the job's `bundle:`, or build what it names first."
        case .tooLarge: "Name fewer files in `bundle:`; leave out build products and histories."
        case .refused: "Leave it out of `bundle:`, or put a file in its place."
        case .foreign: "Submit the run again with the same version of snapfarm."
        case .platform: "Submit from a machine like the workers, or start workers like it."
        }
    }
    package var exit: ExitCode {
        switch self {
        case .noMatch, .tooLarge, .refused, .foreign: .invalidInput
        case .platform: .configuration
        }
    }
}
