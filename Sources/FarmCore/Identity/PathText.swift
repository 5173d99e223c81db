// Questions about paths that come from elsewhere, answered by bytes as the file system does. Swift
// splits and compares texts by what a reader sees as one letter: in `../◌́evil` the slash and the
// mark after it are one, so that Swift finds neither the slash nor the way out before it.

extension StringProtocol {
    /// The names between slashes; an empty one where a slash is first, last or beside another.
    package var pathParts: [String] { parts(between: UInt8(ascii: "/")) }

    /// The same for another sign of ASCII.
    package func parts(between sign: UInt8) -> [String] {
        utf8.split(separator: sign, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// The folder that the path's last name lies in: `a/b` for `a/b/c` and for `a/b/c/`, `/` for `/a`
    /// and for `/`, and an empty text for a name alone.
    ///
    /// Foundation's `deletingLastPathComponent` ends the program at a name of one character.
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

    /// Whether a slash is anywhere in it.
    package var hasSlash: Bool { utf8.contains(UInt8(ascii: "/")) }

    /// Whether a program would take it for an option.
    package var hasLeadingDash: Bool { utf8.first == UInt8(ascii: "-") }

    /// What follows `folder` and its slash; nil where the path is not below it.
    package func path(below folder: some StringProtocol) -> String? {
        guard utf8.count > folder.utf8.count, utf8.starts(with: folder.utf8) else { return nil }
        let rest = utf8.dropFirst(folder.utf8.count)
        guard rest.first == UInt8(ascii: "/") else { return nil }
        return String(decoding: rest.dropFirst(), as: UTF8.self)
    }

    /// Whether a sign of ASCII, such as a slash, colon or dash, makes one letter with what stands
    /// beside it, so that looking for the sign does not find it.
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
