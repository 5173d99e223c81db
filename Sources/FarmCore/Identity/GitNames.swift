// The names that Git reserves, in every spelling that some file system treats as the same. Git
// refuses trees with them (`git fsck --strict`, `receive.fsckObjects`), so no folder of pictures
// may have such a name.

/// Finds names that Git refuses in trees.
enum GitNames {
    /// Whether Git reserves the name: `.git`, `.Git.`, `GIT~1`, `.gitmodules`.
    static func isOwn(_ name: String) -> Bool {
        // Every reserved name has a dot or a tilde, and few others have: a run checks each name of
        // its pictures several times.
        let marks = [UInt8(ascii: "."), UInt8(ascii: "~")]
        guard name.utf8.contains(where: { marks.contains($0) }) else { return false }
        return name.split(separator: "\\").contains { isOwnPart($0) }
    }

    /// The short names of Windows for reserved names, before `~`, with the largest digit after it.
    private static let shortNames: [Substring: Int] = [
        "git": 1, "gitmod": 4, "gi7eba": 9, "gitatt": 4, "gi7d29": 9,
    ]

    private static func isShort(_ name: Substring) -> Bool {
        let parts = name.split(separator: "~", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.count == 1, let digit = Int(parts[1]),
            let largest = shortNames[parts[0]]
        else { return false }
        return (1...largest).contains(digit)
    }

    private static func isOwnPart(_ name: Substring) -> Bool {
        // macOS ignores these scalars. Windows ignores a stream's name after `:`, and dots and
        // spaces at the end.
        let scalars = name.unicodeScalars.filter { !isIgnored($0) }
        let text = String(String.UnicodeScalarView(scalars)).lowercased()
        let seen = text.prefix { $0 != ":" }
        let last = seen.lastIndex { $0 != "." && $0 != " " }
        let plain = last.map { seen[...$0] } ?? ""
        return plain == ".git" || plain == ".gitmodules" || plain == ".gitattributes"
            || isShort(plain)
    }

    private static func isIgnored(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x200C...0x200F, 0x202A...0x202E, 0x206A...0x206F, 0xFEFF: true
        default: false
        }
    }
}
