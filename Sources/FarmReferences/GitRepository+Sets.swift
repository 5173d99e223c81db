// Sets in a Git repository. A set is a commit computed from its pin alone: the tree of the pin's
// subtrees, no parents, a fixed identity, the date 0 and a fixed message. Equal references
// therefore have one id everywhere.
import FarmCore
import FarmGit
import Foundation

extension GitRepository {
    static let setMessage = "reference set\n"

    /// The name of a set's Git reference.
    package static func reference(ofSet set: ObjectID) -> String { "refs/snapfarm/sets/\(set)" }

    /// Throws if the pin names a subtree that the store does not have.
    package func check(_ pin: ReferencePin) throws {
        for (index, entry) in pin.entries.enumerated() {
            guard let header = try header(of: entry.object), header.kind == .tree else {
                throw ReferenceStoreError.pinNotInStore(
                    path: entry.path,
                    object: entry.object,
                    line: 2 * index + 1,
                    store: path
                )
            }
        }
    }

    /// The root folder of a pin's set.
    func rootFolder(of pin: ReferencePin) -> TreeFolder {
        var root = TreeFolder()
        for cell in pin.cells {
            let subtrees = pin.folders(of: cell).mapValues { TreeFolder.Child.subtree($0) }
            root.children[cell.text] = .folder(TreeFolder(children: subtrees))
        }
        return root
    }

    /// Writes the trees and the commit of a pin's set unless they exist; returns the set's id.
    package func writeSet(of pin: ReferencePin) throws -> ObjectID {
        let tree = try write(rootFolder(of: pin), what: "set")
        return try commit(tree: tree, parents: [], message: Self.setMessage, seconds: 0)
    }

    /// Throws if the store lacks a file of the pin's set.
    package func checkFiles(of pin: ReferencePin) throws {
        for (path, subtree) in pin.entries {
            try walk(subtree, what: path.text) { folders, file in
                guard knows(file.object) || holds(file.object) else {
                    let place = ([path.text] + folders + [file.name]).joined(separator: "/")
                    throw GitError.objectMissing(
                        file.object,
                        what: place,
                        repository: self.path
                    )
                }
            }
        }
    }

    /// Makes a set visible by creating its Git reference.
    ///
    /// Does nothing if the set is visible already.
    package func publish(set: ObjectID) throws {
        let name = Self.reference(ofSet: set)
        guard try create(reference: name, to: set) == .lost else { return }
        let present = try target(of: name)
        guard present == set else {
            throw GitError.malformed(
                what: name,
                fact: "it names \(present?.hex ?? "nothing"), not the set itself"
            )
        }
    }

    // MARK: pictures and records

    /// Returns the pictures below one subtree of a pin, without alternates and companions.
    func pictures(
        of path: SubtreePath,
        in subtree: ObjectID
    ) throws -> [SnapshotID: ObjectID] {
        try contents(of: path, in: subtree).pictures
    }

    /// Returns the pictures below one subtree of a pin with their alternates and companions, without
    /// the suite's record.
    ///
    /// A companion counts only beside its picture.
    /// A file that is named as an alternate counts only beside its picture, and only if its name has
    /// the digits of its blob: a name that another program made adds nothing that passes.
    func contents(
        of path: SubtreePath,
        in subtree: ObjectID
    ) throws -> SuiteFolder {
        var contents = SuiteFolder()
        try walk(subtree, what: path.text) { folders, file in
            guard let name = StoredName(file.name) else { return }
            let id = try SnapshotID(
                cell: path.cell,
                suite: ([path.folder] + folders).joined(separator: "/"),
                name: name.pictureName
            )
            switch name {
            case .alternate:
                guard name == StoredName(alternate: file.object, of: id.name) else { return }
                contents.alternates[id, default: []].append(file.object)
            case .companion(_, let kind): contents.companions[id, default: [:]][kind] = file.object
            case .picture:
                guard contents.pictures.updateValue(file.object, forKey: id) == nil else {
                    throw GitError.malformed(
                        what: path.text,
                        fact: "two pictures have the name \(id)"
                    )
                }
            }
        }
        let pictures = contents.pictures
        contents.alternates = contents.alternates.filter { pictures[$0.key] != nil }
            .mapValues { $0.sorted() }
        contents.companions = contents.companions.filter { pictures[$0.key] != nil }
        return contents
    }

    /// Returns the record of one subtree of a pin, or `nil` if the subtree has none.
    func record(
        of path: SubtreePath,
        in subtree: ObjectID
    ) throws -> SuiteRecord? {
        let entries = try entries(of: subtree, what: path.text)
        guard let entry = entries.first(where: { $0.name == SuiteRecord.fileName }) else {
            return nil
        }
        let what = "\(path)/\(SuiteRecord.fileName)"
        let bytes = try blob(entry.object, bytesMax: SuiteRecord.bytesMax, what: what)
        return try SuiteRecord(canonical: bytes, what: what)
    }
}

// MARK: listing sets

extension GitRepository {
    /// Returns the ids of all visible sets.
    func sets() throws(GitError) -> [ObjectID] {
        let references = try references(matching: "refs/snapfarm/sets/*")
        return references.map(\.target)
    }

    /// Returns the pin of a set, read from two levels of its tree.
    ///
    /// Throws if an entry there is not a folder.
    func pin(ofSet set: ObjectID) throws(GitError) -> ReferencePin {
        let root = try commit(set).tree
        var pin = ReferencePin()
        for cell in try entries(of: root, what: "set \(set)") {
            guard cell.kind == .folder else {
                throw .malformed(what: "set \(set)", fact: "\"\(cell.name)\" is not a folder")
            }
            for folder in try entries(of: cell.object, what: cell.name) {
                guard folder.kind == .folder,
                    let path = SubtreePath(cell: CellID(cell.name), folder: folder.name)
                else {
                    throw .malformed(
                        what: "set \(set)",
                        fact: "\"\(cell.name)/\(folder.name)\" is not a suite"
                    )
                }
                pin[path] = folder.object
            }
        }
        return pin
    }
}
