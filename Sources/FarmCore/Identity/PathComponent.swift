// Names from test programs, which become folders and files. A name that is unsafe as a path
// component on some file system is refused; a name that is too long is shortened and keeps a
// digest.
import Foundation

/// The reason why a name cannot be a path component.
package enum PathComponentError: ExplainedError, Equatable {
    case empty
    case dots(String)
    case character(name: String, scalar: UInt32)
    /// Git reserves the name, and refuses a store that contains it.
    case gitOwn(String)
    /// The name of a folder ends like a picture's, and a picture may need the same path.
    case pictureFolder(String)
    /// The name is too long; `bytes` is its length with the cell and all folders.
    case tooLong(bytes: Int)

    package var code: String { "name-refused" }
    package var message: String {
        switch self {
        case .empty: "a name is empty."
        case .dots(let name): "the name \"\(name)\" is a path, not a name."
        case .character(let name, let scalar):
            "the name \"\(name.debugDescription)\" holds the character U+"
                + String(scalar, radix: 16, uppercase: true) + ", which no file name may hold."
        case .gitOwn(let name):
            "the name \(name.debugDescription) is one that Git keeps for itself, and refuses in a store."
        case .pictureFolder(let name):
            "the folder \(name.debugDescription) ends like a picture, and one may have its name."
        case .tooLong(let bytes):
            "a picture's name has \(bytes) bytes with its device and folders, more than "
                + "\(FarmLimits.snapshotNameBytesMax)."
        }
    }
    package var remedy: String { "Rename the suite or the snapshot in the test." }
    package var exit: ExitCode { .invalidInput }
}

/// A safe component of a path: NFC, no separator, no control character, at most 200 bytes.
package struct PathComponent: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The component as it is spelled on disk and in Git trees.
    package let text: String

    /// The largest length of a component in UTF-8 bytes; longer names are shortened.
    ///
    /// Most file systems allow 255, and `reference_` and `.png` are added to the name.
    package static let bytesMax = 200
    private static let keptBytes = 180

    /// Makes a path component from any name; a long name is shortened.
    ///
    /// - Throws: `PathComponentError` for an empty name, `.`, `..`, `/`, NUL, control characters,
    ///   or a name that Git reserves.
    package init(_ name: String) throws(PathComponentError) {
        let normal = name.precomposedStringWithCanonicalMapping
        guard !normal.isEmpty else { throw .empty }
        guard normal != ".", normal != ".." else { throw .dots(normal) }
        for scalar in normal.unicodeScalars
        where scalar.value < 32 || scalar.value == 127 || scalar == "/" {
            throw .character(name: normal, scalar: scalar.value)
        }
        guard !GitNames.isOwn(normal) else { throw .gitOwn(normal) }
        self.text = Self.shortened(normal)
    }

    /// Whether a name is a valid path component as it is, without shortening.
    package static func isName(_ text: String) -> Bool {
        (try? PathComponent(text))?.text == text
    }

    package var description: String { text }

    package static func < (left: Self, right: Self) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    /// Returns the shortened form of a long name: at most 180 bytes, cut between characters, then
    /// `~` and 12 digits of the name's SHA-256.
    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > bytesMax else { return name }
        var kept = ""
        var bytes = 0
        for character in name {
            let size = character.utf8.count
            guard bytes + size <= keptBytes else { break }
            kept.append(character)
            bytes += size
        }
        return kept + "~" + Digest(of: Data(name.utf8)).hex.prefix(12)
    }
}
