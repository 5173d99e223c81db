// The pin is the small text in the main repository (`snapfarm.refs`) that names the references a
// run compares against. Two lines per subtree of the set, sorted by the bytes of the path:
//
//     <cell>/<first folder below the cell>
//      <object id of that subtree>
//
// The path has a line of its own so that stock Git merges changes of neighbouring suites. The set's
// own id is not written: it follows from the subtrees, and it would conflict in every merge.
import Foundation

/// What one entry of a pin names: the first folder below a cell.
package struct SubtreePath: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let cell: CellID
    package let folder: String

    /// Both parts must be path components as they stand: safe, NFC and not too long; the cell does
    /// not start with a space, which marks the second line of an entry.
    package init?(cell: CellID, folder: String) {
        guard Self.isComponent(cell.text), Self.isComponent(folder), !cell.text.hasPrefix(" ")
        else { return nil }
        self.cell = cell
        self.folder = folder
    }

    /// `<cell>/<folder>`.
    package var text: String { "\(cell)/\(folder)" }
    package var description: String { text }

    package static func < (left: Self, right: Self) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    private static func isComponent(_ text: String) -> Bool {
        guard let component = try? PathComponent(text) else { return false }
        // Equal as bytes: String's own equality would let decomposed forms pass.
        return component.text.utf8.elementsEqual(text.utf8)
    }
}

/// The references of a commit: every subtree of one reference set by its path.
package struct ReferencePin: Hashable, Sendable {
    /// Bytes of a pin file: 2,000 cells of 75 suites, at 110 bytes each.
    package static let bytesMax = 16 << 20

    private var folders: [CellID: [String: ObjectID]] = [:]

    /// The pin of a project without references.
    package init() {}

    package var isEmpty: Bool { folders.isEmpty }

    /// The subtree at a path; nil removes the entry.
    package subscript(path: SubtreePath) -> ObjectID? {
        get { folders[path.cell]?[path.folder] }
        set {
            folders[path.cell, default: [:]][path.folder] = newValue
            if folders[path.cell]?.isEmpty == true { folders[path.cell] = nil }
        }
    }

    /// The cells that have references, sorted by bytes.
    package var cells: [CellID] {
        folders.keys.sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
    }

    /// The subtrees of one cell by folder name.
    package func folders(of cell: CellID) -> [String: ObjectID] { folders[cell] ?? [:] }

    /// All entries in the order of the text.
    package var entries: [(path: SubtreePath, object: ObjectID)] {
        var found: [(path: SubtreePath, object: ObjectID)] = []
        for (cell, subtrees) in folders {
            for (folder, object) in subtrees {
                guard let path = SubtreePath(cell: cell, folder: folder) else { continue }
                found.append((path, object))
            }
        }
        return found.sorted { $0.path < $1.path }
    }

    /// The file's text; equal pins have equal text.
    package var text: String {
        entries.map { "\($0.path)\n \($0.object)\n" }.joined()
    }
}
