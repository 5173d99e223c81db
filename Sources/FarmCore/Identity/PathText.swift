// Operations on paths from elsewhere, by bytes, as the file system does them. Swift splits and
// compares texts by visible letters: in `../◌́evil` the slash and the mark after it are one letter,
// so Swift finds neither the slash nor the `..` before it.

extension StringProtocol {
    /// The components of the path; a slash at an end or beside another slash adds an empty one.
    package var pathParts: [String] { parts(between: UInt8(ascii: "/")) }

    /// Returns the parts of the text between the occurrences of an ASCII character.
    package func parts(between sign: UInt8) -> [String] {
        utf8.split(separator: sign, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// The path's parent folder: `a/b` for `a/b/c` and for `a/b/c/`, `/` for `/a` and for `/`, and
    /// empty for a name alone.
    ///
    /// Foundation's `deletingLastPathComponent` crashes on a name of one character.
    package var parentFolder: String {
        let slash = UInt8(ascii: "/")
        func withoutSlashesAtEnd(_ path: Substring.UTF8View) -> Substring.UTF8View {
            var path = path
            while path.count > 1, path.last == slash { path = path.dropLast() }
            return path
        }
        let path = withoutSlashesAtEnd(Substring(self).utf8)
        guard let last = path.lastIndex(of: slash) else { return "" }
        return String(decoding: withoutSlashesAtEnd(path[...last]), as: UTF8.self)
    }

    /// Whether the path begins at the root.
    package var isAbsolutePath: Bool { utf8.first == UInt8(ascii: "/") }

    /// Whether the text contains a slash.
    package var hasSlash: Bool { utf8.contains(UInt8(ascii: "/")) }

    /// Whether a command would read the text as an option.
    package var hasLeadingDash: Bool { utf8.first == UInt8(ascii: "-") }

    /// Returns the rest of the path after `folder` and a slash, or `nil` if it is not below
    /// `folder`.
    package func path(below folder: some StringProtocol) -> String? {
        guard utf8.count > folder.utf8.count, utf8.starts(with: folder.utf8) else { return nil }
        let rest = utf8.dropFirst(folder.utf8.count)
        guard rest.first == UInt8(ascii: "/") else { return nil }
        return String(decoding: rest.dropFirst(), as: UTF8.self)
    }

    /// Whether an ASCII sign in the text, such as a slash, colon or dash, forms one letter with its
    /// neighbour, so that a search for the sign misses it.
    package var hidesSigns: Bool {
        guard utf8.contains(where: { $0 >= 0x80 }) else { return false }
        return contains { letter in
            letter.unicodeScalars.count > 1
                && letter.unicodeScalars.contains { scalar in
                    scalar.isASCII && !scalar.properties.isAlphabetic
                }
        }
    }
}
