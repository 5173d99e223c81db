// Converts a text pin to a submodule and back. The references stay the same: a set's id follows
// from the pin's subtrees, and the subtrees of the set are those of the pin.
import FarmCore

/// A planned change of a pin's form; nothing is written before `MainRepository.apply`.
package enum PinConversion: Sendable, Hashable {
    case toGitlink(GitlinkPin, removing: String)
    case toText(ReferencePin, at: String, removing: String)

    /// The plan as lines for a terminal.
    package var lines: [String] {
        switch self {
        case .toGitlink(let pin, let file):
            ["remove \(file)", "add the submodule \(pin.path) (\(pin.url)) at \(pin.set)"]
        case .toText(let pin, let file, let folder):
            ["remove the submodule \(folder)", "write \(file) with \(pin.entries.count) suites"]
        }
    }
}

extension ReferenceStore {
    /// Plans to replace a text pin by a submodule.
    ///
    /// Makes the pin's set visible, because Git can only fetch a commit that a reference leads to.
    package func conversion(
        of pin: ReferencePin,
        at file: String,
        toGitlinkAt path: String,
        url: String
    ) throws -> PinConversion {
        let set = try publish(pin).set
        return .toGitlink(try GitlinkPin(path: path, url: url, set: set), removing: file)
    }

    /// Plans to replace a submodule by a text pin.
    package func conversion(
        of gitlink: GitlinkPin,
        toTextAt file: String
    ) throws -> PinConversion {
        .toText(try pin(ofSet: gitlink.set), at: file, removing: gitlink.path)
    }
}

extension MainRepository {
    /// Changes work tree and index as planned; writes the new form before it removes the old one.
    package func apply(_ conversion: PinConversion) throws {
        switch conversion {
        case .toGitlink(let pin, let file):
            try write(pin)
            if file != pin.path { try removeTextPin(at: file) }
        case .toText(let pin, let file, let folder):
            try write(pin, at: file)
            if file != folder { try removeGitlink(at: folder) }
        }
    }
}
