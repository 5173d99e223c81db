// Trees: read entry by entry, and written from values without an index or a work tree.
import CGit2
import FarmCore

/// An entry of a tree.
package struct TreeEntry {
    /// The kind of an entry.
    package enum Kind: Sendable {
        case file
        case folder
        /// A commit of another repository.
        case submodule
        /// A symbolic link.
        case other

        init(_ mode: git_filemode_t) {
            switch mode {
            case GIT_FILEMODE_BLOB, GIT_FILEMODE_BLOB_EXECUTABLE: self = .file
            case GIT_FILEMODE_TREE: self = .folder
            case GIT_FILEMODE_COMMIT: self = .submodule
            default: self = .other
            }
        }
    }

    package var name: String
    package var kind: Kind
    package var object: ObjectID
}

/// A folder that can be written as a tree.
package struct TreeFolder {
    /// An entry of the folder.
    package enum Child {
        case file(ObjectID)
        /// A tree that is already in the repository.
        case subtree(ObjectID)
        case folder(TreeFolder)
    }

    package var children: [String: Child]

    package init(children: [String: Child] = [:]) { self.children = children }

    /// Adds a file at a path of one or more names; creates the folders in between.
    package mutating func add(
        file object: ObjectID,
        at path: ArraySlice<String>
    ) throws(GitError) {
        guard let name = path.first else { return }
        guard path.count > 1 else {
            guard children.updateValue(.file(object), forKey: name) == nil else {
                throw .nameRefused(name, reason: "it is a file and a folder")
            }
            return
        }
        var folder = TreeFolder()
        switch children[name] {
        case nil: break
        case .folder(let existing): folder = existing
        case .file, .subtree: throw .nameRefused(name, reason: "it is a file and a folder")
        }
        // Removed from the dictionary while it changes, so that the folder is not copied for every
        // file.
        children[name] = nil
        try folder.add(file: object, at: path.dropFirst())
        children[name] = .folder(folder)
    }
}

extension GitRepository {
    /// The largest depth of folders; a deeper tree counts as an attack.
    package static let folderDepthMax = 32

    /// Returns the entries of a tree in Git's order; `what` names the tree in errors.
    package func entries(of tree: ObjectID, what: String) throws(GitError) -> [TreeEntry] {
        var oid = tree.oid
        var found: OpaquePointer?
        let code = git_tree_lookup(&found, handle, &oid)
        guard code != GIT_ENOTFOUND.rawValue else {
            throw .objectMissing(tree, what: what, repository: path)
        }
        try GitLibrary.check(code, "read the folder \(what) of \(path)")
        defer { git_tree_free(found) }
        var entries: [TreeEntry] = []
        for index in 0..<git_tree_entrycount(found) {
            guard let entry = git_tree_entry_byindex(found, index),
                let name = git_tree_entry_name(entry), let id = git_tree_entry_id(entry)
            else { continue }
            entries.append(
                TreeEntry(
                    name: String(cString: name),
                    kind: TreeEntry.Kind(git_tree_entry_filemode(entry)),
                    object: ObjectID(id.pointee)
                )
            )
        }
        return entries
    }

    /// Returns one entry of a tree by its name, or `nil` if there is none.
    package func entry(
        _ name: String,
        in tree: ObjectID,
        what: String
    ) throws(GitError) -> TreeEntry? {
        var oid = tree.oid
        var found: OpaquePointer?
        let code = git_tree_lookup(&found, handle, &oid)
        guard code != GIT_ENOTFOUND.rawValue else {
            throw .objectMissing(tree, what: what, repository: path)
        }
        try GitLibrary.check(code, "read the folder \(what) of \(path)")
        defer { git_tree_free(found) }
        guard let entry = git_tree_entry_byname(found, name), let id = git_tree_entry_id(entry)
        else { return nil }
        return TreeEntry(
            name: name,
            kind: TreeEntry.Kind(git_tree_entry_filemode(entry)),
            object: ObjectID(id.pointee)
        )
    }

    /// Calls `visit` for every file below a tree, with the names of its folders.
    ///
    /// Throws if there are more than `FarmLimits.plannedTestsMax` entries or `folderDepthMax`
    /// levels.
    package func walk(
        _ tree: ObjectID,
        what: String,
        visit: (_ folders: [String], TreeEntry) throws -> Void
    ) throws {
        var waiting: [(folders: [String], tree: ObjectID)] = [([], tree)]
        var visited = 0
        while let next = waiting.popLast() {
            guard next.folders.count <= Self.folderDepthMax else {
                throw GitError.malformed(
                    what: what,
                    fact: "more than \(Self.folderDepthMax) folders deep"
                )
            }
            let place = ([what] + next.folders).joined(separator: "/")
            for entry in try entries(of: next.tree, what: place) {
                visited += 1
                guard visited <= FarmLimits.plannedTestsMax else {
                    throw GitError.malformed(
                        what: what,
                        fact: "more than \(FarmLimits.plannedTestsMax) files"
                    )
                }
                switch entry.kind {
                case .file: try visit(next.folders, entry)
                case .folder: waiting.append((next.folders + [entry.name], entry.object))
                case .submodule, .other: continue
                }
            }
        }
    }

    /// Writes a tree that differs from another in one place only, and returns its id.
    ///
    /// `place` (with `/`) gets a file or a submodule. Missing folders of it are created.
    package func tree(
        _ tree: ObjectID,
        with entry: (kind: TreeEntry.Kind, object: ObjectID),
        at place: String
    ) throws(GitError) -> ObjectID {
        let old = try lookUp(tree, GIT_OBJECT_TREE)
        defer { git_object_free(old) }
        var made = git_oid()
        let code = place.withCString { path in
            var update = git_tree_update(
                action: GIT_TREE_UPDATE_UPSERT,
                id: entry.object.oid,
                filemode: entry.kind == .submodule ? GIT_FILEMODE_COMMIT : GIT_FILEMODE_BLOB,
                path: path
            )
            return git_tree_create_updated(&made, handle, old, 1, &update)
        }
        try GitLibrary.check(code, "change \(place) in \(path)")
        return ObjectID(made)
    }

    /// Writes a folder and all folders in it as trees; `what` names it in errors.
    package func write(_ folder: TreeFolder, what: String) throws(GitError) -> ObjectID {
        var builder: OpaquePointer?
        try GitLibrary.check(
            git_treebuilder_new(&builder, handle, nil),
            "make the folder \(what) in \(path)"
        )
        defer { git_treebuilder_free(builder) }
        for (name, child) in folder.children {
            var mode = GIT_FILEMODE_TREE
            var oid: git_oid
            switch child {
            case .file(let object):
                oid = object.oid
                mode = GIT_FILEMODE_BLOB
            case .subtree(let object): oid = object.oid
            case .folder(let inner): oid = try write(inner, what: "\(what)/\(name)").oid
            }
            let code = git_treebuilder_insert(nil, builder, name, &oid, mode)
            guard code == 0 else {
                throw .nameRefused("\(what)/\(name)", reason: GitLibrary.reason(code))
            }
        }
        var oid = git_oid()
        try GitLibrary.check(
            git_treebuilder_write(&oid, builder),
            "write the folder \(what) to \(path)"
        )
        return ObjectID(oid)
    }
}
