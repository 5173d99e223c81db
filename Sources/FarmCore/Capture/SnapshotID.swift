// The name of a picture: its cell, suite and name. Suite and name are the framework's own folder
// and file name; the program derives no facts from them.

/// The stable name of one picture: `<cell>/<suite>/<name>`, as in the reference store and the zip.
package struct SnapshotID: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    package let cell: CellID
    /// The suite: one or more safe path components joined by `/`.
    package let suite: String
    /// The picture's name within its suite: the file name without `.png`, one safe path component.
    package let name: String

    /// Makes an id from a suite and a name, which are normalised and checked (see
    /// ``PathComponent``).
    ///
    /// A valid id is a safe path in every output folder, and collides with no other id.
    package init(cell: CellID, suite: String, name: String) throws(PathComponentError) {
        var folders: [String] = []
        let separator = UInt8(ascii: "/")
        for part in suite.utf8.split(separator: separator, omittingEmptySubsequences: false) {
            let folder = try PathComponent(String(part) ?? "").text
            if PathBytes(folder).isPicture { throw .pictureFolder(folder) }
            folders.append(folder)
        }
        self.cell = cell
        self.suite = folders.joined(separator: "/")
        self.name = try PathComponent(name).text
        let bytes = text.utf8.count
        guard bytes <= FarmLimits.snapshotNameBytesMax else { throw .tooLong(bytes: bytes) }
    }

    /// Returns an id for a picture whose own name or file is unusable, so that its error can be
    /// shown.
    ///
    /// `key` is the digest of the name that the test gave the picture.
    package static func unusable(cell: CellID, key: Digest) -> SnapshotID {
        SnapshotID(cell: cell, safeSuite: "unusable", safeName: String(key.hex.prefix(12)))
    }

    private init(cell: CellID, safeSuite: String, safeName: String) {
        self.cell = cell
        suite = safeSuite
        name = safeName
    }

    /// The id as text: `<cell>/<suite>/<name>`.
    package var text: String { "\(cell)/\(suite)/\(name)" }
    package var description: String { text }

    /// The first folder of the suite, directly below the cell; an entry of the pin names this
    /// folder.
    package var firstFolder: String {
        String(suite.utf8.prefix { $0 != UInt8(ascii: "/") }) ?? suite
    }

    package static func < (left: SnapshotID, right: SnapshotID) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        // Splits bytes, because a combining mark at a component's beginning forms one letter with
        // the slash.
        let parts = text.utf8.split(separator: UInt8(ascii: "/")).map { String($0) ?? "" }
        guard parts.count >= 3, let cell = parts.first, let name = parts.last else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "not a snapshot id: \(text.prefix(200))"
            )
        }
        self = try SnapshotID(
            cell: CellID(cell),
            suite: parts.dropFirst().dropLast().joined(separator: "/"),
            name: name
        )
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
