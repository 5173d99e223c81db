// Groups pictures in the order in which people look for them (of the 2019 talk): by folder, by
// identifier, by configuration. A group holds the same screen on every cell.
import FarmCore

/// A screen of the app with its pictures on all cells.
struct PictureGroup {
    /// The name of the screen within its suite.
    let name: String
    let test: String
    /// The pictures of the screen, in the order of the matrix.
    let pictures: [SnapshotSummary]
}

/// A suite with its screens.
struct PictureSuite {
    let name: String
    let groups: [PictureGroup]

    /// Groups pictures by suite, name and test, with their titles for people.
    ///
    /// Suites and groups are sorted by bytes; the pictures of a group are in the matrix's order.
    static func grouped(
        _ pictures: [SnapshotSummary],
        cells: CellDirectory,
        titles: RunTitles
    ) -> [PictureSuite] {
        var byKey: [Key: [SnapshotSummary]] = [:]
        for picture in pictures { byKey[Key(picture, titles), default: []].append(picture) }
        var suites: [PictureSuite] = []
        var groups: [PictureGroup] = []
        let keys = byKey.keys.sorted()
        for (index, key) in keys.enumerated() {
            let sorted = (byKey[key] ?? []).sorted { left, right in
                if left.cell != right.cell { return cells.precedes(left.cell, right.cell) }
                return left.id.utf8.lexicographicallyPrecedes(right.id.utf8)
            }
            groups.append(PictureGroup(name: key.name, test: key.test, pictures: sorted))
            if index + 1 == keys.count || keys[index + 1].suite != key.suite {
                suites.append(PictureSuite(name: key.suite, groups: groups))
                groups = []
            }
        }
        return suites
    }
}

private struct Key: Hashable, Comparable {
    let suite: String
    let name: String
    let test: String

    init(_ picture: SnapshotSummary, _ titles: RunTitles) {
        suite = titles.suite(picture.suite)
        name = titles.name(of: picture)
        test = picture.test
    }

    static func < (left: Self, right: Self) -> Bool {
        for (a, b) in [
            (left.suite, right.suite), (left.name, right.name), (left.test, right.test),
        ] where a != b {
            return a.utf8.lexicographicallyPrecedes(b.utf8)
        }
        return false
    }
}

extension SnapshotSummary {
    /// The path of the reference's file, relative to the output folder, or `nil` if there is none.
    var referencePath: String? { files["reference"] }
    /// The path of this run's picture for the catalogue, relative to the output folder, or `nil` if
    /// there is none.
    var currentPath: String? { files["capture"] ?? files["failed"] }
    /// The path of this run's picture for showing it beside its reference, or `nil` if there is
    /// none.
    var failedPath: String? { files["failed"] ?? files["capture"] }
    var diffPath: String? { files["diff"] }

    /// The size of the picture in pixels, such as `750×1334`, or empty if no picture was made.
    var size: String { width > 0 && height > 0 ? "\(width)×\(height)" : "" }
}
