// Files in a folder of captures that snapfarm does not read. Nothing is compared with them, so a
// test's result or a note of the run names each.

/// A file beside a test's pictures that is not compared.
package struct UnreadFile: Hashable, Sendable, Codable {
    package enum Kind: String, Sendable, Codable {
        /// A symbolic link; pictures are not read through links.
        case link
        /// A picture in another format than PNG, or with another ending (`.PNG`).
        case otherPicture = "other-picture"
        /// Any other file, mostly a text.
        case text
    }

    /// The file's path, relative to the folder of captures.
    package var path: String
    package var kind: Kind

    package init(path: String, kind: Kind) {
        self.path = path
        self.kind = kind
    }

    /// Whether the file's name is that of a picture, or the file is a link.
    ///
    /// A test may rely on the comparison of such a file.
    package var isMeantAsPicture: Bool { kind != .text }

    /// The path for people, with ` (a link)` after a symbolic link.
    package var words: String { kind == .link ? "\(path) (a link)" : path }
}

extension UnreadFile {
    /// The file name endings of pictures, in lower case.
    private static let pictureEndings = [
        ".avif", ".bmp", ".gif", ".heic", ".heif", ".jpeg", ".jpg", ".jxl", ".pdf", ".png", ".svg",
        ".tga", ".tif", ".tiff", ".webp",
    ]

    /// Returns the kind of a regular file by its name, or `nil` if the name begins with `.` (a
    /// system's hidden file).
    package static func kind(ofFile name: String) -> Kind? {
        guard !name.hasPrefix(".") else { return nil }
        let lower = name.lowercased()
        return pictureEndings.contains { lower.hasSuffix($0) } ? .otherPicture : .text
    }
}

extension Problem {
    /// Returns the problem of a passed test whose pictures are all unread.
    package static func picturesNotRead(_ files: [UnreadFile]) -> Problem {
        Problem(
            code: "picture-not-read",
            message: "its only pictures were not read, so nothing was compared: "
                + "\(UnreadFile.list(files)).",
            remedy: UnreadFile.remedy
        )
    }
}

extension UnreadFile {
    package static let remedy =
        "Write PNG files to $SNAPFARM_CAPTURE_DIR/<suite>/<name>.png: other formats and endings "
        + "(also .PNG) are not read, and no link is followed. ImageMagick converts: "
        + "`magick FILE.webp FILE.png`."

    /// The most files that one sentence names.
    private static let namedMax = 5

    /// Returns the files as a list for a sentence: `S/a.PNG, S/b.png (a link) and 3 more`.
    package static func list(_ files: some Collection<UnreadFile>) -> String {
        let named = files.prefix(namedMax).map(\.words).joined(separator: ", ")
        return files.count > namedMax ? "\(named) and \(files.count - namedMax) more" : named
    }
}
