// A repository with a work tree: its branch, history and settings. All of this only reads;
// `GitIndex` and `GitConfigFile` write.
import CGit2
import FarmCore
import Foundation

extension GitRepository {
    /// The work tree's folder without a trailing slash, or `nil` in a bare repository.
    package var workTree: String? {
        git_repository_workdir(handle).map { withoutSlash(String(cString: $0)) }
    }

    /// The `.git` folder without a trailing slash; for a linked work tree, that of the main one.
    package var commonFolder: String {
        git_repository_commondir(handle).map { withoutSlash(String(cString: $0)) } ?? path
    }

    /// The checked-out branch, or `nil` if a commit is checked out or nothing is committed yet.
    package var branch: String? {
        var head: OpaquePointer?
        guard git_repository_head(&head, handle) == 0, let head else { return nil }
        defer { git_reference_free(head) }
        guard git_reference_is_branch(head) == 1, let name = git_reference_shorthand(head) else {
            return nil
        }
        return String(cString: name)
    }

    /// Whether a commit is checked out instead of a branch.
    package var isHeadDetached: Bool { git_repository_head_detached(handle) == 1 }

    /// The committer as `Name <mail>`, or `nil` if Git has no name.
    package var person: String? {
        var signature: UnsafeMutablePointer<git_signature>?
        guard git_signature_default(&signature, handle) == 0, let signature else { return nil }
        defer { git_signature_free(signature) }
        return String(cString: signature.pointee.name)
            + " <\(String(cString: signature.pointee.email))>"
    }

    /// Returns each remote with its refspecs for fetching.
    package func remotes() throws(GitError) -> [(name: String, fetched: [String])] {
        var names = git_strarray()
        try GitLibrary.check(git_remote_list(&names, handle), "list the remotes of \(path)")
        defer { git_strarray_dispose(&names) }
        var remotes: [(name: String, fetched: [String])] = []
        for name in strings(names) {
            var remote: OpaquePointer?
            try GitLibrary.check(
                git_remote_lookup(&remote, handle, name),
                "read the remote \(name)"
            )
            defer { git_remote_free(remote) }
            var specs = git_strarray()
            try GitLibrary.check(
                git_remote_get_fetch_refspecs(&specs, remote),
                "read the remote \(name)"
            )
            defer { git_strarray_dispose(&specs) }
            remotes.append((name, strings(specs)))
        }
        return remotes
    }

    // MARK: history

    /// Returns the commit that a branch, a tag or an id names.
    package func commit(named revision: String) throws(GitError) -> ObjectID {
        var found: OpaquePointer?
        try GitLibrary.check(
            git_revparse_single(&found, handle, revision),
            "find \(revision) in \(path)"
        )
        defer { git_object_free(found) }
        var commit: OpaquePointer?
        try GitLibrary.check(
            git_object_peel(&commit, found, GIT_OBJECT_COMMIT),
            "find the commit \(revision) in \(path)"
        )
        defer { git_object_free(commit) }
        guard let oid = git_object_id(commit) else {
            throw .git(doing: "find the commit \(revision) in \(path)", reason: "it has no id")
        }
        return ObjectID(oid.pointee)
    }

    /// Returns the commit with an id or that a tag leads to, or `nil` if the object is of another
    /// kind.
    ///
    /// - Throws: `GitError.git`, also if the object is missing.
    package func peeledCommit(_ object: ObjectID) throws(GitError) -> GitCommit? {
        var oid = object.oid
        var found: OpaquePointer?
        let doing = "read the object \(object) of \(path)"
        try GitLibrary.check(git_object_lookup(&found, handle, &oid, GIT_OBJECT_ANY), doing)
        defer { git_object_free(found) }
        var commit: OpaquePointer?
        let code = git_object_peel(&commit, found, GIT_OBJECT_COMMIT)
        guard code != GIT_EPEEL.rawValue, code != GIT_EINVALIDSPEC.rawValue else { return nil }
        try GitLibrary.check(code, doing)
        defer { git_object_free(commit) }
        guard let id = git_object_id(commit) else { return nil }
        return try GitCommit(commit, id: ObjectID(id.pointee))
    }

    /// Returns the newest common ancestor of two commits, or `nil` if they have none.
    package func mergeBase(_ one: ObjectID, _ other: ObjectID) throws(GitError) -> ObjectID? {
        var (left, right) = (one.oid, other.oid)
        var base = git_oid()
        let code = git_merge_base(&base, handle, &left, &right)
        guard code != GIT_ENOTFOUND.rawValue else { return nil }
        try GitLibrary.check(code, "compare two commits of \(path)")
        return ObjectID(base)
    }

    /// Returns the entry at a path (with `/`) of a tree, or `nil` if there is none.
    ///
    /// The entry's name is the whole path. If a folder's tree is missing, the result is `nil` too.
    package func entry(at place: String, of tree: ObjectID) throws(GitError) -> TreeEntry? {
        var oid = tree.oid
        var found: OpaquePointer?
        try GitLibrary.check(
            git_tree_lookup(&found, handle, &oid),
            "read the folder \(tree) of \(path)"
        )
        defer { git_tree_free(found) }
        var entry: OpaquePointer?
        let code = git_tree_entry_bypath(&entry, found, place)
        guard code != GIT_ENOTFOUND.rawValue else { return nil }
        try GitLibrary.check(code, "read \(place) of \(path)")
        defer { git_tree_entry_free(entry) }
        guard let id = git_tree_entry_id(entry) else { return nil }
        return TreeEntry(
            name: place,
            kind: TreeEntry.Kind(git_tree_entry_filemode(entry)),
            object: ObjectID(id.pointee)
        )
    }

    /// A regular file that was added or changed, or removed (`object` is `nil`).
    package struct FileChange {
        package var path: String
        package var object: ObjectID?
    }

    /// Returns the files below a folder (empty for all) that differ between two trees.
    ///
    /// `nil` is the empty tree before the first commit.
    package func changes(
        from old: ObjectID?,
        to new: ObjectID,
        below folder: String
    ) throws(GitError) -> [FileChange] {
        guard old != new else { return [] }
        var oldTree: OpaquePointer?
        if let old { oldTree = try lookUp(old, GIT_OBJECT_TREE) }
        defer { git_object_free(oldTree) }
        let newTree = try lookUp(new, GIT_OBJECT_TREE)
        defer { git_object_free(newTree) }
        var options = git_diff_options()
        try GitLibrary.check(
            git_diff_options_init(&options, UInt32(GIT_DIFF_OPTIONS_VERSION)),
            "compare two commits"
        )
        options.flags =
            GIT_DIFF_DISABLE_PATHSPEC_MATCH.rawValue | GIT_DIFF_SKIP_BINARY_CHECK.rawValue
        var diff: OpaquePointer?
        let code = folder.withCString { text in
            var names: [UnsafeMutablePointer<CChar>?] = [UnsafeMutablePointer(mutating: text)]
            return names.withUnsafeMutableBufferPointer { names in
                if !folder.isEmpty {
                    options.pathspec = git_strarray(strings: names.baseAddress, count: 1)
                }
                return git_diff_tree_to_tree(&diff, handle, oldTree, newTree, &options)
            }
        }
        try GitLibrary.check(code, "compare two commits of \(path)")
        defer { git_diff_free(diff) }
        return (0..<git_diff_num_deltas(diff)).compactMap { index in
            git_diff_get_delta(diff, index).flatMap { change($0.pointee) }
        }
    }

    private func change(_ delta: git_diff_delta) -> FileChange? {
        let mode = git_filemode_t(rawValue: UInt32(delta.new_file.mode))
        let object = TreeEntry.Kind(mode) == .file ? ObjectID(delta.new_file.id) : nil
        guard let text = object == nil ? delta.old_file.path : delta.new_file.path,
            let path = String(validatingCString: text)
        else { return nil }
        return FileChange(path: path, object: object)
    }
}

private func withoutSlash(_ path: String) -> String {
    path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
}

private func strings(_ array: git_strarray) -> [String] {
    (0..<array.count).compactMap { index in
        array.strings[index].map { String(cString: $0) }
    }
}
