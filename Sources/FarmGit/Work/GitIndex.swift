// The index of a work tree: staged entries, and the conflicts of an unfinished merge.
import CGit2
import FarmCore

/// An open index; not safe to use from two threads at once.
package final class GitIndex {
    private let index: OpaquePointer?
    private let repository: GitRepository

    /// Opens the index of a repository and reads it anew if it has changed.
    package init(of repository: GitRepository) throws(GitError) {
        var index: OpaquePointer?
        let code = git_repository_index(&index, repository.handle)
        if code < 0, GitLibrary.reason(code).contains("'sdir'") {
            throw .unsupported(path: repository.path, extension: GitError.sparseIndex)
        }
        try GitLibrary.check(code, "open the index of \(repository.path)")
        self.index = index
        self.repository = repository
        try check(git_index_read(index, 0), "read")
    }

    deinit { git_index_free(index) }

    /// Returns the staged entry at a path, or `nil` if there is none.
    package func entry(at path: String) -> TreeEntry? {
        git_index_get_bypath(index, path, 0).flatMap(entry)
    }

    /// Whether a tracked path is not checked out because the work tree is sparse.
    package func isSkippedBySparseCheckout(_ path: String) -> Bool {
        guard let entry = git_index_get_bypath(index, path, 0) else { return false }
        return UInt32(entry.pointee.flags_extended) & GIT_INDEX_ENTRY_SKIP_WORKTREE.rawValue != 0
    }

    /// Returns the three versions of a path in conflict, each `nil` if that side has none.
    ///
    /// Returns `nil` if the path is not in conflict.
    package func conflict(
        at path: String
    ) throws(GitError) -> (base: TreeEntry?, ours: TreeEntry?, theirs: TreeEntry?)? {
        // The index owns the entries, so they are not freed here.
        var base: UnsafePointer<git_index_entry>?
        var ours: UnsafePointer<git_index_entry>?
        var theirs: UnsafePointer<git_index_entry>?
        let code = git_index_conflict_get(&base, &ours, &theirs, index, path)
        guard code != GIT_ENOTFOUND.rawValue else { return nil }
        try check(code, "read")
        return (base.flatMap(entry), ours.flatMap(entry), theirs.flatMap(entry))
    }

    private func entry(_ entry: UnsafePointer<git_index_entry>) -> TreeEntry? {
        TreeEntry(
            name: String(cString: entry.pointee.path),
            kind: TreeEntry.Kind(git_filemode_t(rawValue: entry.pointee.mode)),
            object: ObjectID(entry.pointee.id)
        )
    }

    /// Stages a file of the work tree.
    package func add(file path: String) throws(GitError) {
        try check(git_index_add_bypath(index, path), "change")
    }

    /// Stages a submodule at a commit.
    package func add(submodule path: String, at commit: ObjectID) throws(GitError) {
        var entry = git_index_entry()
        entry.mode = GIT_FILEMODE_COMMIT.rawValue
        entry.id = commit.oid
        let code = path.withCString { path in
            entry.path = path
            return git_index_add(index, &entry)
        }
        try check(code, "change")
    }

    /// Removes a path from the index; does nothing if the index lacks it.
    package func remove(_ path: String) throws(GitError) {
        let code = git_index_remove(index, path, 0)
        guard code != GIT_ENOTFOUND.rawValue else { return }
        try check(code, "change")
    }

    /// Writes the changed index to the disk.
    package func write() throws(GitError) { try check(git_index_write(index), "write") }

    private func check(_ code: Int32, _ doing: String) throws(GitError) {
        try GitLibrary.check(code, "\(doing) the index of \(repository.path)")
    }
}
