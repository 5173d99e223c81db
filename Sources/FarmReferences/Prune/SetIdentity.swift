// The id of a pin's set, without writing it: a plan must not change the store.
import CGit2
import FarmCore
import Foundation

enum SetIdentity {
    /// The id that `ReferenceStore.setID(of:)` gives.
    static func set(of pin: ReferencePin) throws -> ObjectID {
        var cells: [String: ObjectID] = [:]
        for cell in pin.cells {
            cells[cell.text] = try tree(of: pin.folders(of: cell))
        }
        let person = "snapfarm <snapfarm@localhost> 0 +0000"
        let commit =
            "tree \(try tree(of: cells))\nauthor \(person)\ncommitter \(person)\n\n"
            + GitRepository.setMessage
        return try id(of: Data(commit.utf8), GIT_OBJECT_COMMIT)
    }

    /// Git sorts folders as if their names ended in a slash.
    private static func tree(of folders: [String: ObjectID]) throws -> ObjectID {
        var bytes = Data()
        let sorted = folders.sorted {
            ($0.key + "/").utf8.lexicographicallyPrecedes(($1.key + "/").utf8)
        }
        for (name, object) in sorted {
            bytes += Data("40000 \(name)\0".utf8)
            withUnsafeBytes(of: object.oid.id) { bytes += $0 }
        }
        return try id(of: bytes, GIT_OBJECT_TREE)
    }

    private static func id(of bytes: Data, _ kind: git_object_t) throws -> ObjectID {
        try GitLibrary.start()
        var oid = git_oid()
        let code = bytes.withUnsafeBytes { git_odb_hash(&oid, $0.baseAddress, $0.count, kind) }
        try GitLibrary.check(code, "name a set")
        return ObjectID(oid)
    }
}
