// The id of a pin's set. It is computed from the pin alone, without any object, so that a caller
// can ask a remote for a set before this machine has any part of it.
import FarmCore
import FarmGit
import Foundation

extension ReferencePin {
    /// The id of the commit that the store writes for this pin's set.
    package var setID: ObjectID {
        var root: [String: ObjectID] = [:]
        for cell in cells { root[cell.text] = treeID(of: folders(of: cell)) }
        let person = "snapfarm <snapfarm@localhost> 0 +0000"
        let commit =
            "tree \(treeID(of: root))\nauthor \(person)\ncommitter \(person)\n\n"
            + GitRepository.setMessage
        return ObjectID(of: .commit, Data(commit.utf8))
    }
}

/// Returns the id of a tree that contains only folders.
private func treeID(of folders: [String: ObjectID]) -> ObjectID {
    // Git sorts a folder as if its name ended in a slash.
    let sorted = folders.sorted { "\($0.key)/".utf8.lexicographicallyPrecedes("\($1.key)/".utf8) }
    var bytes = Data()
    for (name, object) in sorted {
        bytes += Data("40000 \(name)\0".utf8)
        bytes += ObjectKey(object).bytes
    }
    return ObjectID(of: .tree, bytes)
}
