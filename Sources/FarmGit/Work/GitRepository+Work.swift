// A repository that people work in: its work tree, branch, history and settings. It is only read here;
// `GitIndex` and `GitConfigFile` are what is written.
import CGit2
import FarmCore
import Foundation

extension GitRepository {
    /// The folder of the checked-out files, without a slash at the end; nil in a bare repository.
    package var workTree: String? {
        git_repository_workdir(handle).map { withoutSlash(String(cString: $0)) }
    }

    /// `.git`, also of a linked work tree's main one; without a slash at the end.
    package var commonFolder: String {
        git_repository_commondir(handle).map { withoutSlash(String(cString: $0)) } ?? path
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

    /// Whether a commit is checked out instead of a branch.
    package var isHeadDetached: Bool { git_repository_head_detached(handle) == 1 }

    /// `Name <mail>` as Git would sign a commit here; nil where it has no name.
    package var person: String? {
        var signature: UnsafeMutablePointer<git_signature>?
        guard git_signature_default(&signature, handle) == 0, let signature else { return nil }
        defer { git_signature_free(signature) }
        return String(cString: signature.pointee.name)
            + " <\(String(cString: signature.pointee.email))>"
    }

    /// Each remote with the references it is fetched by.
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

    /// The commit that a branch, a tag or an id names.
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

    /// The commit that an object is, or that a tag leads to; nil where it leads to something else.
    ///
    /// - Throws: `GitError.git`, also where the object is missing.
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

    /// The newest commit that both have; nil where they have none.
    package func mergeBase(_ one: ObjectID, _ other: ObjectID) throws(GitError) -> ObjectID? {
        var (left, right) = (one.oid, other.oid)
        var base = git_oid()
        let code = git_merge_base(&base, handle, &left, &right)
        guard code != GIT_ENOTFOUND.rawValue else { return nil }
        try GitLibrary.check(code, "compare two commits of \(path)")
        return ObjectID(base)
    }

    /// What stands at a path (with `/`) of a tree; nil where there is nothing.
    ///
    /// Its name is the whole path. A folder on the way that is missing looks the same as no entry.
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

    /// A regular file that is new or changed, or that is gone (`object` is nil).
    package struct FileChange {
        package var path: String
        package var object: ObjectID?
    }

    /// The files that changed between two trees, below a folder (empty for all); nil is the tree
    /// before the first commit.
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
