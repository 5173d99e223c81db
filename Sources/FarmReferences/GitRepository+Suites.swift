// Reads and writes one suite of a set as a value: its pictures and its record.
import FarmCore
import FarmGit

extension GitRepository {
    /// Returns the pictures with all that belongs to them, and the record of one subtree of a pin.
    package func suite(_ path: SubtreePath, in subtree: ObjectID) throws -> SuiteFolder {
        var suite = try contents(of: path, in: subtree)
        suite.record = try record(of: path, in: subtree)
        return suite
    }

    /// Writes the trees and the record of a suite; returns the suite's tree, or `nil` without
    /// pictures.
    package func write(_ suite: SuiteFolder, at path: SubtreePath) throws -> ObjectID? {
        guard !suite.pictures.isEmpty else { return nil }
        var tree = TreeFolder()
        for (id, object) in suite.pictures {
            // Splitting by characters is safe here: `SnapshotID` refuses a character that contains
            // a slash.
            let folders = id.suite.split(separator: "/").dropFirst().map(String.init)
            try tree.add(file: object, at: ArraySlice(folders + [StoredName.picture(id.name).text]))
            for alternate in suite.alternates[id] ?? [] {
                let name = StoredName(alternate: alternate, of: id.name)
                try tree.add(file: alternate, at: ArraySlice(folders + [name.text]))
            }
            for (kind, companion) in suite.companions[id] ?? [:] {
                let name = StoredName.companion(of: id.name, kind)
                try tree.add(file: companion, at: ArraySlice(folders + [name.text]))
            }
        }
        if let record = suite.record {
            let object = try write(blob: record.canonicalBytes)
            try tree.add(file: object, at: [SuiteRecord.fileName])
        }
        return try write(tree, what: path.text)
    }

    /// Whether the store has a tree with this id.
    package func holdsTree(_ object: ObjectID) throws(GitError) -> Bool {
        try header(of: object)?.kind == .tree
    }
}
