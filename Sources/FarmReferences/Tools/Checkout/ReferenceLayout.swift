// The paths of references in a work tree: the rules of the frameworks' own folders.
//
//     iOSSnapshotTestCase      <folder>/<suite>/<name>.png               folder: …ReferenceImages_64
//     swift-snapshot-testing   <test's folder>/__Snapshots__/<suite>/<name>.png
//     plain                    <folder>/<cell>/<suite>/<name>.png
//
// The frameworks' paths do not contain the cell. A checkout in their layout therefore has one cell,
// unless the names of the pictures tell the cells apart.
import FarmCore
import FarmFiles

/// A mapping between snapshot ids and paths below the root of a work tree.
package enum ReferenceLayout: Hashable, Sendable, Codable {
    /// The layout of iOSSnapshotTestCase. `folder` is `FB_REFERENCE_IMAGE_DIR` with its suffix:
    /// `Tests/ReferenceImages_64`.
    case fbReferenceImages(folder: String)
    /// The layout of swift-snapshot-testing. `testFolders` has the folder of each suite's test
    /// file; other suites are in `folder`.
    case pointFree(folder: String, testFolders: [String: String])
    case plain(folder: String)
    /// The layout of an import: each picture is at the path at which the import found it.
    case imported(ReferenceOrigins)

    static let pointFreeFolder = "__Snapshots__"

    /// Whether the framework of a path may write the device into file names.
    static func namesDevices(at path: String) -> Bool {
        !path.pathParts.contains { $0.hasPrefix(pointFreeFolder) }
    }

    /// Returns the path of a reference, or `nil` if the layout has no place for it.
    package func path(of id: SnapshotID) -> String? {
        let file = id.file
        switch self {
        case .fbReferenceImages(let folder): return joined(folder, id.suite, file)
        case .pointFree(let folder, let testFolders):
            let tests = testFolders[id.suite] ?? folder
            return joined(tests, Self.pointFreeFolder, id.suite, file)
        case .plain(let folder): return joined(folder, id.cell.text, id.suite, file)
        case .imported(let origins): return origins.path(of: id)
        }
    }

    /// Returns the cell, suite and name in a path, or `nil` if the path is not of this layout.
    package func place(at path: String) -> LayoutPlace? {
        let (folder, file) = GuardedFolder.split(path)
        // A text that no run made may be anything, such as a README.
        guard let name = SnapshotFile.name(of: file), !SnapshotFile.isText(name) else { return nil }
        switch self {
        case .fbReferenceImages(let root):
            guard let suite = below(root, folder) else { return nil }
            return LayoutPlace(cell: nil, suite: suite, name: name)
        case .pointFree(let root, let testFolders):
            for tests in Set(testFolders.values).union([root]) {
                if let suite = below(joined(tests, Self.pointFreeFolder), folder) {
                    return LayoutPlace(cell: nil, suite: suite, name: name)
                }
            }
            return nil
        case .plain(let root):
            guard let inner = below(root, folder),
                let slash = inner.utf8.firstIndex(of: UInt8(ascii: "/"))
            else { return nil }
            return LayoutPlace(
                cell: CellID(String(Substring(inner.utf8[..<slash]))),
                suite: String(Substring(inner.utf8[inner.utf8.index(after: slash)...])),
                name: name
            )
        case .imported(let origins): return origins.place(folder: folder, name: name)
        }
    }

    /// The folders that contain pictures of this layout; none of them is inside another.
    package var folders: [String] {
        let all: [String] =
            switch self {
            case .fbReferenceImages(let folder), .plain(let folder): [folder]
            case .pointFree(let folder, let testFolders):
                Set(testFolders.values).union([folder]).map { joined($0, Self.pointFreeFolder) }
            case .imported(let origins): Array(Set(origins.folders.values))
            }
        return all.filter { one in !all.contains { $0 != one && below($0, one) != nil } }.sorted()
    }
}

/// The parts of a snapshot's id that a picture's path contains.
package struct LayoutPlace: Hashable, Sendable {
    /// The cell, or `nil` if the path does not contain it.
    package var cell: CellID?
    package var suite: String
    package var name: String
}

/// The paths at which an import found its pictures, so that an export can write them back there.
package struct ReferenceOrigins: Hashable, Sendable, Codable {
    /// The folder of each suite on each cell, by `<cell>/<suite>`.
    package private(set) var folders: [String: String] = [:]
    /// The paths of the other pictures, which do not follow from their ids: names that are not NFC
    /// or are too long, and suites in two folders.
    package private(set) var files: [String: String] = [:]

    init() {}

    /// Records the path of a picture.
    package mutating func add(_ id: SnapshotID, path: String) {
        let (folder, file) = GuardedFolder.split(path)
        let key = "\(id.cell)/\(id.suite)"
        let present = folders[key] ?? folder
        // Compares bytes: as a `String`, a decomposed name equals its composed form.
        if file.utf8.elementsEqual(id.file.utf8), present.utf8.elementsEqual(folder.utf8) {
            folders[key] = folder
        } else {
            files[id.text] = path
        }
    }

    /// Returns the path of a picture.
    ///
    /// If its cell did not have the suite, uses the suite's folder of the other cells, provided
    /// that they all have the same.
    func path(of id: SnapshotID) -> String? {
        if let path = files[id.text] { return path }
        if let folder = folders["\(id.cell)/\(id.suite)"] {
            return joined(folder, id.file)
        }
        let others = Set(folders.filter { $0.key.hasSuffix("/\(id.suite)") }.map(\.value))
        guard others.count == 1, let folder = others.first else { return nil }
        return joined(folder, id.file)
    }

    func place(folder: String, name: String) -> LayoutPlace? {
        let keys = folders.filter { $0.value == folder }.map(\.key)
        let parts = keys.map { key in
            let slash = key.utf8.firstIndex(of: UInt8(ascii: "/")) ?? key.utf8.endIndex
            return (
                cell: CellID(String(Substring(key.utf8[..<slash]))),
                suite: String(Substring(key.utf8[slash...].dropFirst()))
            )
        }
        guard let first = parts.first, parts.allSatisfy({ $0.suite == first.suite }) else {
            return nil
        }
        return LayoutPlace(
            cell: parts.count == 1 ? first.cell : nil,
            suite: first.suite,
            name: name
        )
    }
}

/// Joins names with `/`; leaves out empty names.
func joined(_ parts: String...) -> String {
    parts.filter { !$0.isEmpty }.joined(separator: "/")
}

/// Returns the part of `path` after `folder`, or `nil` if the path is not below the folder.
func below(_ folder: String, _ path: String) -> String? {
    if folder.isEmpty { return path.isEmpty ? nil : path }
    let prefix = folder + "/"
    guard path.utf8.starts(with: prefix.utf8), path.utf8.count > prefix.utf8.count else {
        return nil
    }
    return String(Substring(path.utf8.dropFirst(prefix.utf8.count)))
}
