// The path of a cell, a suite or one picture, as a user writes it on the command line.
import FarmCore

/// A path `<cell>`, `<cell>/<suite>` or `<cell>/<suite>/<name>.png`.
struct MovePath {
    let cell: CellID
    /// The folders of the suite, or `nil` for a whole cell.
    let suite: [String]?
    /// The name of the picture, or `nil` for a whole suite.
    let name: String?

    var firstFolder: String? { suite?.first }

    init(_ text: String) throws(MoveError) {
        var parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        if parts.count > 1, parts.last == "" { parts.removeLast() }
        guard let first = parts.first else { throw .badPath(text, reason: "is empty") }
        for part in parts {
            // `SubtreePath` checks the names that are allowed for a first folder and a cell.
            guard SubtreePath(cell: CellID(first), folder: part) != nil else {
                throw .badPath(text, reason: "is not a safe path")
            }
        }
        cell = CellID(first)
        var rest = Array(parts.dropFirst())
        if let last = rest.last, rest.count > 1, let name = SnapshotFile.name(of: last) {
            self.name = name
            rest.removeLast()
        } else {
            name = nil
        }
        suite = rest.isEmpty ? nil : rest
    }

    /// Whether both paths are of the same kind: a cell, a suite or a picture.
    func isLike(_ other: MovePath) -> Bool {
        (suite == nil) == (other.suite == nil) && (name == nil) == (other.name == nil)
    }

    func covers(_ id: SnapshotID) -> Bool {
        guard id.cell == cell else { return false }
        guard let suite else { return true }
        let folders = Self.folders(of: id)
        if let name { return folders == suite && id.name == name }
        return folders.starts(with: suite)
    }

    /// Returns the new id of a picture below `old` when `old` moves to this path.
    func replacing(_ old: MovePath, in id: SnapshotID) throws -> SnapshotID {
        let rest = Self.folders(of: id).dropFirst(old.suite?.count ?? 0)
        return try SnapshotID(
            cell: cell,
            suite: ((suite ?? []) + rest).joined(separator: "/"),
            name: name ?? id.name
        )
    }

    private static func folders(of id: SnapshotID) -> [String] {
        id.suite.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    }
}
