// The files of snapshots. A snapshot is a picture, `<name>.png`, or a text, whose name has the
// file's own ending: `greeting.txt`.
//
// A picture whose name would end like a text's keeps its `.png`: the file `index.html.png` is the
// picture `index.html.png`, and `index.html` is a text.

package enum SnapshotFile {
    private static let pictureEnding = ".png"
    /// The endings of texts.
    package static let textEndings = [
        ".csv", ".html", ".json", ".md", ".plist", ".svg", ".txt", ".xml", ".yaml",
    ]

    /// Returns the name of the snapshot that a file is, or `nil` if the file is neither a picture
    /// nor a text.
    ///
    /// A hidden file is no text.
    package static func name(of file: String) -> String? {
        if isText(file) { return file.hasPrefix(".") ? nil : file }
        guard let stem = file.dropping(pictureEnding) else { return nil }
        return isText(withoutPictureEndings(stem)) ? file : stem
    }

    /// Returns the name of the file of a snapshot.
    package static func file(of name: String) -> String {
        if isText(name) { return name }
        let stem = withoutPictureEndings(name)
        return stem != name && isText(stem) ? name : name + pictureEnding
    }

    /// Whether a snapshot with this name is a text.
    package static func isText(_ name: String) -> Bool {
        textEndings.contains { name.dropping($0) != nil }
    }

    private static func withoutPictureEndings(_ name: String) -> String {
        var name = name
        while let rest = name.dropping(pictureEnding) { name = rest }
        return name
    }
}

extension SnapshotID {
    package var isText: Bool { SnapshotFile.isText(name) }
    /// The name of the snapshot's file, such as `cart.png` or `greeting.txt`.
    package var file: String { SnapshotFile.file(of: name) }
    /// The path of the snapshot's file: `<cell>/<suite>/<file>`.
    package var path: String { "\(cell)/\(suite)/\(file)" }
    /// The snapshot's key in a ``SuiteRecord``.
    package var keyInSuite: String { "\(suite)/\(name)" }
}

extension SuiteRecord {
    /// Returns the test case that makes a snapshot, or `nil` if the record does not name it.
    ///
    /// Records of older versions name the picture `index.html.png` without its ending.
    package func test(of id: SnapshotID) -> TestID? {
        if let test = tests[id.keyInSuite] { return test }
        guard !id.isText, id.file == id.name else { return nil }
        return id.keyInSuite.dropping(".png").flatMap { tests[$0] }
    }
}

extension String {
    /// Returns the text without an ending, or `nil` if it lacks the ending or is nothing else.
    fileprivate func dropping(_ ending: String) -> String? {
        guard hasSuffix(ending), utf8.count > ending.utf8.count else { return nil }
        return String(dropLast(ending.count))
    }
}
