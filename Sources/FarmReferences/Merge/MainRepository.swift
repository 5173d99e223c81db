// The tested project's own repository, as far as pins are concerned: which pin a commit has, what
// two branches have in common, and the three pins of a merge that Git left to a person.
import CGit2
import FarmCore
import Foundation

/// What a commit has in the place of the pin.
package enum PinForm: Hashable, Sendable {
    /// `snapfarm.refs`.
    case text(ReferencePin)
    /// A submodule entry: the id of a set.
    case gitlink(ObjectID)
}

/// The three versions of a pin in an unfinished merge; nil where a side has none.
package struct PinStages: Hashable, Sendable {
    package var base: PinForm?
    package var ours: PinForm?
    package var theirs: PinForm?

    package init(base: PinForm?, ours: PinForm?, theirs: PinForm?) {
        self.base = base
        self.ours = ours
        self.theirs = theirs
    }
}

/// An open repository of the project; not safe from two threads at once.
package final class MainRepository {
    /// As given.
    package let path: String
    let handle: OpaquePointer

    /// Opens the repository that a folder lies in.
    package init(containing path: String) throws {
        try GitLibrary.start()
        var found: OpaquePointer?
        let code = git_repository_open_ext(&found, path, 0, nil)
        guard code == 0, let found else {
            throw MergeError.mainRepository(path: path, reason: GitLibrary.reason(code))
        }
        self.path = path
        handle = found
    }

    deinit { git_repository_free(handle) }

    /// The folder of the checked-out files, without a slash at the end; nil in a bare repository.
    package var workTree: String? {
        guard let folder = git_repository_workdir(handle) else { return nil }
        let text = String(cString: folder)
        return text.count > 1 && text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// The branch that is checked out; nil where that is a commit, or nothing is committed yet.
    package var branch: String? {
        var head: OpaquePointer?
        guard git_repository_head(&head, handle) == 0, let head else { return nil }
        defer { git_reference_free(head) }
        guard git_reference_is_branch(head) == 1, let name = git_reference_shorthand(head) else {
            return nil
        }
        return String(cString: name)
    }

    /// The commit that a branch, a tag or an id names.
    package func commit(_ revision: String) throws -> ObjectID {
        var found: OpaquePointer?
        guard git_revparse_single(&found, handle, revision) == 0, let found else {
            throw MergeError.unknownRevision(revision, repository: path)
        }
        defer { git_object_free(found) }
        var commit: OpaquePointer?
        guard git_object_peel(&commit, found, GIT_OBJECT_COMMIT) == 0, let commit,
            let oid = git_object_id(commit)
        else { throw MergeError.unknownRevision(revision, repository: path) }
        defer { git_object_free(commit) }
        return ObjectID(oid.pointee)
    }

    /// The newest commit that both have; nil where they have none.
    package func mergeBase(_ one: ObjectID, _ other: ObjectID) throws -> ObjectID? {
        var (left, right) = (one.oid, other.oid)
        var base = git_oid()
        let code = git_merge_base(&base, handle, &left, &right)
        guard code != GIT_ENOTFOUND.rawValue else { return nil }
        try check(code)
        return ObjectID(base)
    }

    /// The pin of a commit; nil where it has nothing at the path (relative to the root, with `/`).
    package func pin(_ file: String, at commit: ObjectID) throws -> PinForm? {
        var oid = commit.oid
        var object: OpaquePointer?
        try check(git_commit_lookup(&object, handle, &oid))
        defer { git_commit_free(object) }
        var tree: OpaquePointer?
        try check(git_commit_tree(&tree, object))
        defer { git_tree_free(tree) }
        var entry: OpaquePointer?
        let code = git_tree_entry_bypath(&entry, tree, file)
        guard code != GIT_ENOTFOUND.rawValue else { return nil }
        try check(code)
        defer { git_tree_entry_free(entry) }
        guard let id = git_tree_entry_id(entry) else { return nil }
        return try form(
            ObjectID(id.pointee),
            mode: git_tree_entry_filemode(entry),
            file: file,
            at: String(commit.hex.prefix(12))
        )
    }

    /// The versions of the pin that an unfinished merge has; nil where it is not in conflict.
    package func conflict(_ file: String) throws -> PinStages? {
        var index: OpaquePointer?
        try check(git_repository_index(&index, handle))
        defer { git_index_free(index) }
        try check(git_index_read(index, 0))
        // The index owns the entries: they live until it is freed.
        var base: UnsafePointer<git_index_entry>?
        var ours: UnsafePointer<git_index_entry>?
        var theirs: UnsafePointer<git_index_entry>?
        let code = git_index_conflict_get(&base, &ours, &theirs, index, file)
        guard code != GIT_ENOTFOUND.rawValue else { return nil }
        try check(code)
        let forms = try zip([base, ours, theirs], MergeSide.allCases).map { entry, side in
            try entry.flatMap { entry in
                try form(
                    ObjectID(entry.pointee.id),
                    mode: git_filemode_t(rawValue: entry.pointee.mode),
                    file: file,
                    at: side.rawValue
                )
            }
        }
        return PinStages(base: forms[0], ours: forms[1], theirs: forms[2])
    }

    private func form(
        _ object: ObjectID,
        mode: git_filemode_t,
        file: String,
        at revision: String
    ) throws -> PinForm {
        switch mode {
        case GIT_FILEMODE_COMMIT: return .gitlink(object)
        case GIT_FILEMODE_BLOB, GIT_FILEMODE_BLOB_EXECUTABLE:
            return .text(
                try ReferencePin(parsing: try blob(object), file: "\(revision):\(file)")
            )
        default: throw MergeError.notAPin(path: file, revision: revision)
        }
    }

    private func blob(_ object: ObjectID) throws -> Data {
        var oid = object.oid
        var blob: OpaquePointer?
        try check(git_blob_lookup(&blob, handle, &oid))
        defer { git_blob_free(blob) }
        // One byte more than a pin may have: its reader refuses it with the right words.
        let count = min(Int(git_blob_rawsize(blob)), ReferencePin.bytesMax + 1)
        guard let bytes = git_blob_rawcontent(blob) else { return Data() }
        return Data(bytes: bytes, count: count)
    }

    func check(_ code: Int32) throws(MergeError) {
        guard code < 0 else { return }
        throw .mainRepository(path: path, reason: GitLibrary.reason(code))
    }
}

extension ReferenceStore {
    /// The references that a pin of either form names; none where there is no pin.
    package func pin(of form: PinForm?) throws -> ReferencePin {
        switch form {
        case nil: ReferencePin()
        case .text(let pin): pin
        case .gitlink(let set): try pin(ofSet: set)
        }
    }

    /// The pin that names the subtrees of a set.
    ///
    /// - Throws: `ReferenceStoreError` where the store lacks the set, or it is not one.
    package func pin(ofSet set: ObjectID) throws -> ReferencePin {
        let repository = try GitRepository(opening: path)
        return try repository.pin(ofSet: set)
    }
}

extension GitRepository {
    /// Reads two levels of a set's tree; anything that is not a folder there is refused.
    func pin(ofSet set: ObjectID) throws(ReferenceStoreError) -> ReferencePin {
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
