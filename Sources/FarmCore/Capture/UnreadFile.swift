// Files that lie where the farm looks for pictures and that it does not read: nothing is compared with
// them, so each is named, by its test or by a note of the run.

/// A file beside the pictures of a test that is compared with nothing.
package struct UnreadFile: Hashable, Sendable, Codable {
    package enum Kind: String, Sendable, Codable {
        /// A link: no picture is read through one.
        case link
        /// A picture of another format, or a PNG of another name (`.PNG`).
        case otherPicture = "other-picture"
        /// No picture, mostly a text: no text is a reference.
        case text
    }

    /// Below the folder that was looked at.
    package var path: String
    package var kind: Kind

    package init(path: String, kind: Kind) {
        self.path = path
        self.kind = kind
    }

    /// Whether its name or kind is that of a picture, so that its test may count on it.
    package var isMeantAsPicture: Bool { kind != .text }

    /// The path, with the reason where it does not show in it.
    package var words: String { kind == .link ? "\(path) (a link)" : path }
}

extension UnreadFile {
    /// The endings of pictures' names, in lower case.
    private static let pictureEndings = [
        ".avif", ".bmp", ".gif", ".heic", ".heif", ".jpeg", ".jpg", ".jxl", ".pdf", ".png", ".svg",
        ".tga", ".tif", ".tiff", ".webp",
    ]

    /// The kind of a regular file by its name, or `nil` for a hidden file of a system.
    package static func kind(ofFile name: String) -> Kind? {
        guard !name.hasPrefix(".") else { return nil }
        let lower = name.lowercased()
        return pictureEndings.contains { lower.hasSuffix($0) } ? .otherPicture : .text
    }
}

extension Problem {
    /// Said of a passed test all of whose pictures are unread.
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
        + "(also .PNG) are not read, and no link is followed."

    /// Files that one sentence names.
    private static let namedMax = 5

    /// `S/a.PNG, S/b.png (a link) and 3 more`.
    package static func list(_ files: some Collection<UnreadFile>) -> String {
        let named = files.prefix(namedMax).map(\.words).joined(separator: ", ")
        return files.count > namedMax ? "\(named) and \(files.count - namedMax) more" : named
    }
}
