// Git's references by name: lists them, changes several together, and follows them.
import CGit2
import FarmCore

extension GitRepository {
    /// The largest number of Git references that are read, far more than a store has.
    private static let referencesMax = 1_000_000

    /// Returns names and targets of the references that match a glob, sorted by name.
    package func references(
        matching glob: String
    ) throws(GitError) -> [(name: String, target: ObjectID)] {
        var iterator: OpaquePointer?
        try GitLibrary.check(
            git_reference_iterator_glob_new(&iterator, handle, glob),
            "list \(glob) of \(path)"
        )
        defer { git_reference_iterator_free(iterator) }
        var found: [(name: String, target: ObjectID)] = []
        while found.count < Self.referencesMax {
            var name: UnsafePointer<CChar>?
            let code = git_reference_next_name(&name, iterator)
            guard code != GIT_ITEROVER.rawValue else { break }
            try GitLibrary.check(code, "list \(glob) of \(path)")
            guard let name else { continue }
            let text = String(cString: name)
            // `nil` if another process deleted it meanwhile.
            if let target = try target(of: text) { found.append((text, target)) }
        }
        return found.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Returns all references with the objects they lead to, sorted by name.
    ///
    /// A symbolic reference that leads nowhere (`origin/HEAD` of a deleted branch) is left out.
    package func allReferences() throws(GitError) -> [(name: String, object: ObjectID)] {
        var iterator: OpaquePointer?
        try GitLibrary.check(
            git_reference_iterator_new(&iterator, handle),
            "list the references of \(path)"
        )
        defer { git_reference_iterator_free(iterator) }
        var found: [(name: String, object: ObjectID)] = []
        while true {
            var name: UnsafePointer<CChar>?
            let code = git_reference_next_name(&name, iterator)
            guard code != GIT_ITEROVER.rawValue else { break }
            try GitLibrary.check(code, "list the references of \(path)")
            guard let name else { continue }
            let text = String(cString: name)
            var oid = git_oid()
            let resolved = git_reference_name_to_id(&oid, handle, name)
            if resolved == GIT_ENOTFOUND.rawValue { continue }
            try GitLibrary.check(resolved, "read \(text) of \(path)")
            found.append((text, ObjectID(oid)))
        }
        return found.sorted { $0.name < $1.name }
    }

    /// Changes several references, holding a lock on each.
    package func change(_ changes: some Sequence<ReferenceEdit>) throws(GitError) {
        var transaction: OpaquePointer?
        try GitLibrary.check(
            git_transaction_new(&transaction, handle),
            "change references of \(path)"
        )
        defer { git_transaction_free(transaction) }
        for change in changes {
            let code = git_transaction_lock_ref(transaction, change.name)
            guard code != GIT_ELOCKED.rawValue else {
                throw .locked(file: "\(path)/\(change.name).lock")
            }
            try GitLibrary.check(code, "lock \(change.name) of \(path)")
            if var oid = change.object?.oid {
                try GitLibrary.check(
                    git_transaction_set_target(transaction, change.name, &oid, nil, nil),
                    "change \(change.name) of \(path)"
                )
            } else {
                try GitLibrary.check(
                    git_transaction_remove(transaction, change.name),
                    "remove \(change.name) of \(path)"
                )
            }
        }
        try GitLibrary.check(
            git_transaction_commit(transaction),
            "change references of \(path)"
        )
    }

    /// Points a Git reference to a commit, whatever it named before.
    ///
    /// Does nothing if another process is changing it at this moment.
    package func force(reference name: String, to object: ObjectID) throws(GitError) {
        guard try target(of: name) != object else { return }
        var oid = object.oid
        var reference: OpaquePointer?
        let code = git_reference_create(&reference, handle, name, &oid, 1, nil)
        git_reference_free(reference)
        guard code != GIT_ELOCKED.rawValue else { return }
        try GitLibrary.check(code, "move \(name) in \(path)")
    }

    /// Points HEAD to a branch, whether that exists or not.
    package func pointHead(to branch: String) throws(GitError) {
        try GitLibrary.check(git_repository_set_head(handle, branch), "set HEAD of \(path)")
    }

    /// Whether `commit` is `head` or one of its ancestors.
    package func contains(_ commit: ObjectID, in head: ObjectID) -> Bool {
        var ancestor = commit.oid
        var tip = head.oid
        return commit == head || git_graph_descendant_of(handle, &tip, &ancestor) == 1
    }
}

/// One change of a Git reference.
package struct ReferenceEdit: Hashable, Sendable, Encodable {
    package var name: String
    /// The new object, or `nil` to delete the reference.
    package var object: ObjectID?

    package init(name: String, object: ObjectID?) {
        self.name = name
        self.object = object
    }
}
