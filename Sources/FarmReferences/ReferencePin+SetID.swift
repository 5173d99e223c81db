// The id of a pin's set follows from the pin alone. Computing it needs no object, so that one can
// ask a remote for a set before anything of it is here.
import FarmCore
import FarmGit
import Foundation

extension ReferencePin {
    /// The id of the commit that the store writes for this pin.
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

/// The id of a tree that holds nothing but folders.
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
