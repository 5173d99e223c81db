// The names that Git reserves, in every spelling that some file system treats as the same. Git
// refuses trees with them (`git fsck --strict`, `receive.fsckObjects`), so no folder of pictures
// may have such a name.

/// Finds names that Git refuses in trees.
enum GitNames {
    /// Whether Git reserves the name: `.git`, `.Git.`, `GIT~1`, `.gitmodules`.
    static func isOwn(_ name: String) -> Bool {
        name.split(separator: "\\").contains { isOwnPart($0) }
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
            || plain.wholeMatch(of: /git~1|gitmod~[1-4]|gi7eba~[1-9]|gitatt~[1-4]|gi7d29~[1-9]/)
                != nil
    }

    private static func isIgnored(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x200C...0x200F, 0x202A...0x202E, 0x206A...0x206F, 0xFEFF: true
        default: false
        }
    }
}
