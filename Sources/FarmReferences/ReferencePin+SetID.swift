// The id of a pin's set follows from the pin alone. Computing it needs no object, so that one can
// ask a remote for a set before anything of it is here.
import CGit2
import Crypto
import FarmCore
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
        return objectID("commit", Data(commit.utf8))
    }
}

/// The id of a tree that holds nothing but folders.
private func treeID(of folders: [String: ObjectID]) -> ObjectID {
    // Git sorts a folder as if its name ended in a slash.
    let sorted = folders.sorted { "\($0.key)/".utf8.lexicographicallyPrecedes("\($1.key)/".utf8) }
    var bytes = Data()
    for (name, object) in sorted {
        bytes += Data("40000 \(name)\0".utf8)
        withUnsafeBytes(of: object.oid.id) { bytes.append(contentsOf: $0) }
    }
    return objectID("tree", bytes)
}

private func objectID(_ kind: String, _ bytes: Data) -> ObjectID {
    var hash = Insecure.SHA1()
    hash.update(data: Data("\(kind) \(bytes.count)\0".utf8))
    hash.update(data: bytes)
    let text = hash.finalize().map { byte in
        String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
    guard let object = ObjectID(text.joined()) else {
        preconditionFailure("a SHA-1 has 40 hex digits")
    }
    return object
}
