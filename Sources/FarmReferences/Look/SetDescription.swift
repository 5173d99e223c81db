// The contents of a set by cell and suite: names and sizes, without reading a picture.
import FarmCore
import FarmGit

/// The contents of a set, as `refs show` prints them.
package struct SetDescription: Sendable, Hashable, Codable {
    package struct Suite: Sendable, Hashable, Codable {
        /// The name of the suite's first folder below the cell.
        package var folder: String
        /// The id of the subtree, as in the pin.
        package var object: ObjectID
        package var pictures: Int
        /// The size of those of the suite's pictures that are in this store, in bytes.
        package var bytes: Int
        package var renderer: [String: String]
    }

    package struct CellPart: Sendable, Hashable, Codable {
        package var cell: CellID
        package var suites: [Suite]
        package var pictures: Int { suites.reduce(0) { $0 + $1.pictures } }
        package var bytes: Int { suites.reduce(0) { $0 + $1.bytes } }
    }

    package var set: ObjectID
    package var cells: [CellPart]
    /// The number of pictures whose bytes are not in this store; they are fetched when needed.
    package var absent: Int

    package var pictures: Int { cells.reduce(0) { $0 + $1.pictures } }
    package var bytes: Int { cells.reduce(0) { $0 + $1.bytes } }

    /// The description as lines for a terminal.
    package var lines: [String] {
        var lines = ["set \(set)", "\(pictures) pictures, \(bytes) bytes"]
        if absent > 0 { lines.append("\(absent) pictures are not in this store yet") }
        for cell in cells {
            lines.append("\(cell.cell)  \(cell.pictures) pictures, \(cell.bytes) bytes")
            for suite in cell.suites {
                let object = suite.object.hex.prefix(12)
                lines.append("    \(suite.folder)  \(suite.pictures), \(suite.bytes)  \(object)")
            }
        }
        return lines
    }
}

extension ReferenceStore {
    /// Returns the contents of a pin's set; pictures that are `absent` do not count in `bytes`.
    package func describe(_ pin: ReferencePin) throws -> SetDescription {
        let set = pin.setID
        let repository = try openRepository()
        try repository.check(pin)
        var description = SetDescription(set: set, cells: [], absent: 0)
        let suites = Dictionary(grouping: pin.entries, by: \.path.cell)
        for cell in pin.cells {
            var part = SetDescription.CellPart(cell: cell, suites: [])
            for (path, subtree) in suites[cell] ?? [] {
                let contents = try repository.suite(path, in: subtree)
                var suite = SetDescription.Suite(
                    folder: path.folder,
                    object: subtree,
                    pictures: contents.pictures.count,
                    bytes: 0,
                    renderer: contents.record?.renderer ?? [:]
                )
                for object in contents.objects {
                    if let header = try repository.header(of: object) {
                        suite.bytes += header.bytes
                    } else {
                        description.absent += 1
                    }
                }
                part.suites.append(suite)
            }
            description.cells.append(part)
        }
        return description
    }

    /// Returns the pictures of a pin on all cells, sorted by id.
    package func references(_ pin: ReferencePin) throws -> [Reference] {
        try pin.cells.flatMap { try references(pin, cell: $0) }
    }

    /// Returns the ids of all visible sets.
    package func sets() throws -> [ObjectID] {
        try openRepository().sets()
    }
}
