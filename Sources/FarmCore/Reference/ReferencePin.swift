// The pin: the small text in the main repository (`snapfarm.refs`) that names the references that a
// run compares with. It has two lines per subtree of the set, sorted by the bytes of the path:
//
//     <cell>/<first folder below the cell>
//      <object id of that subtree>
//
// The path has a line of its own, so that Git merges changes of neighbouring suites. The set's own
// id is left out: it follows from the subtrees, and would conflict in every merge.
import Foundation

/// The path of one entry of a pin: the first folder below a cell.
package struct SubtreePath: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let cell: CellID
    package let folder: String

    /// Makes the path of a subtree, or returns `nil` unless cell and folder are valid path
    /// components as they are: safe, NFC and not too long.
    ///
    /// The cell must not begin with a space, which marks the second line of an entry.
    package init?(cell: CellID, folder: String) {
        guard Self.isComponent(cell.text), Self.isComponent(folder), !cell.text.hasPrefix(" ")
        else { return nil }
        self.cell = cell
        self.folder = folder
    }

    /// The path as text: `<cell>/<folder>`.
    package var text: String { "\(cell)/\(folder)" }
    package var description: String { text }

    package static func < (left: Self, right: Self) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    private static func isComponent(_ text: String) -> Bool {
        guard let component = try? PathComponent(text) else { return false }
        // Compares bytes, because String's equality would accept decomposed forms.
        return component.text.utf8.elementsEqual(text.utf8)
    }
}

/// The pin of a commit: the object ids of all subtrees of one reference set, by path.
package struct ReferencePin: Hashable, Sendable {
    /// The largest pin file in bytes: 2,000 cells of 75 suites, at 110 bytes each.
    package static let bytesMax = 16 << 20

    private var folders: [CellID: [String: ObjectID]] = [:]

    /// Makes the empty pin of a project without references.
    package init() {}

    package var isEmpty: Bool { folders.isEmpty }

    /// The object id of the subtree at a path, or `nil` if there is none; setting `nil` removes the
    /// entry.
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

    /// Returns the object ids of one cell's subtrees, by folder name.
    package func folders(of cell: CellID) -> [String: ObjectID] { folders[cell] ?? [:] }

    /// All entries of the pin in the order of the file.
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

    /// The text of the pin file; equal pins have equal text.
    package var text: String {
        entries.map { "\($0.path)\n \($0.object)\n" }.joined()
    }
}
