// The main repository, as far as a prune looks into it: references, commits, and the pin's path in
// their trees. It is only read.
import CGit2
import FarmCore
import Foundation

/// A reference whose pins are wanted.
struct MainReference {
    var name: String
    var kind: PinSource.Kind
    var object: ObjectID
}

struct MainCommit {
    var id: ObjectID
    var tree: ObjectID
    var firstParent: ObjectID?
    /// Committer's time in seconds since 1970.
    var seconds: Double
}

final class PinningRepository {
    let path: String
    private let handle: OpaquePointer

    init(opening path: String) throws {
        try GitLibrary.start()
        var repository: OpaquePointer?
        guard git_repository_open(&repository, path) == 0, let repository else {
            throw PruneError.notARepository(path: path)
        }
        self.path = path
        handle = repository
    }

    deinit { git_repository_free(handle) }

    // MARK: what may hide a pin

    /// Refuses a clone that does not have all branches with their whole history.
    func refusePartialHistory() throws {
        guard git_repository_is_shallow(handle) == 0 else {
            throw PruneError.shallow(repository: path)
        }
        var names = git_strarray()
        try GitLibrary.check(git_remote_list(&names, handle), "list the remotes of \(path)")
        defer { git_strarray_dispose(&names) }
        for remote in strings(names) where try !fetchesAllBranches(remote) {
            throw PruneError.narrow(repository: path, remote: remote)
        }
    }

    /// `git clone --single-branch` leaves a refspec that names one branch only.
    private func fetchesAllBranches(_ name: String) throws -> Bool {
        var remote: OpaquePointer?
        try GitLibrary.check(git_remote_lookup(&remote, handle, name), "read the remote \(name)")
        defer { git_remote_free(remote) }
        var specs = git_strarray()
        try GitLibrary.check(
            git_remote_get_fetch_refspecs(&specs, remote),
            "read the remote \(name)"
        )
        defer { git_strarray_dispose(&specs) }
        let fetched = strings(specs)
        // A remote that is only pushed to hides nothing.
        guard !fetched.isEmpty else { return true }
        return fetched.contains { spec in
            let source = spec.drop { $0 == "+" }.prefix { $0 != ":" }
            return source == "refs/heads/*" || source == "refs/*"
        }
    }

    private func strings(_ array: git_strarray) -> [String] {
        (0..<array.count).compactMap { index in
            array.strings[index].map { String(cString: $0) }
        }
    }

    // MARK: references

    /// The references that the request's policy keeps, sorted so that living places come first.
    func wanted(by request: PinRootsRequest) throws -> [MainReference] {
        var found: [MainReference] = []
        for (name, object) in try GitReferences.all(of: handle, path: path) {
            guard let kind = kind(of: name, request.policy) else { continue }
            found.append(MainReference(name: name, kind: kind, object: object))
        }
        if git_repository_head_detached(handle) == 1, let head = try target(of: "HEAD") {
            found.append(MainReference(name: "HEAD", kind: .named, object: head))
        }
        for name in request.references {
            let candidates = [name, "refs/heads/\(name)", "refs/remotes/\(name)"]
            guard let full = candidates.first(where: { (try? target(of: $0)) ?? nil != nil }),
                let object = try target(of: full)
            else { throw PruneError.referenceMissing(name, repository: path) }
            found.append(MainReference(name: full, kind: .named, object: object))
        }
        let order: [PinSource.Kind] = [.branch, .named, .pullRequest, .tag, .recent]
        return found.sorted {
            let left = order.firstIndex(of: $0.kind) ?? 0
            let right = order.firstIndex(of: $1.kind) ?? 0
            return (left, $0.name) < (right, $1.name)
        }
    }

    private func kind(of name: String, _ policy: PrunePolicy) -> PinSource.Kind? {
        func kept(_ short: some StringProtocol, _ patterns: [String]) -> Bool {
            patterns.contains { Glob($0, mode: .text).matches(String(short)) }
        }
        let parts = name.split(separator: "/")
        if name.hasPrefix("refs/tags/") {
            return kept(name.dropFirst(10), policy.tags) ? .tag : nil
        }
        if let requests = parts.firstIndex(where: { $0 == "pull" || $0 == "merge-requests" }),
            requests + 2 < parts.count, parts[requests + 2] == "head" || parts.last == "head",
            !name.hasPrefix("refs/heads/")
        {
            return kept(parts[requests + 1], policy.pullRequests) ? .pullRequest : nil
        }
        if name.hasPrefix("refs/heads/") {
            return kept(name.dropFirst(11), policy.branches) ? .branch : nil
        }
        if name.hasPrefix("refs/remotes/") {
            let short = parts.dropFirst(3).joined(separator: "/")
            return kept(short, policy.branches) ? .branch : nil
        }
        return .named
    }

    private func target(of name: String) throws -> ObjectID? {
        var oid = git_oid()
        let code = git_reference_name_to_id(&oid, handle, name)
        guard code != GIT_ENOTFOUND.rawValue, code != GIT_EINVALIDSPEC.rawValue else { return nil }
        try GitLibrary.check(code, "read \(name) of \(path)")
        return ObjectID(oid)
    }

    // MARK: commits

    /// The commit a reference leads to; nil where it leads to something that has no pins.
    func commit(of reference: MainReference) throws -> MainCommit? {
        var oid = reference.object.oid
        var object: OpaquePointer?
        var code = git_object_lookup(&object, handle, &oid, GIT_OBJECT_ANY)
        guard code == 0 else { throw missing(reference.name, code) }
        defer { git_object_free(object) }
        var peeled: OpaquePointer?
        code = git_object_peel(&peeled, object, GIT_OBJECT_COMMIT)
        guard code != GIT_EPEEL.rawValue, code != GIT_EINVALIDSPEC.rawValue else { return nil }
        guard code == 0, let peeled else { throw missing(reference.name, code) }
        defer { git_object_free(peeled) }
        return try describe(peeled, of: reference.name)
    }

    func commit(_ id: ObjectID, of reference: String) throws -> MainCommit {
        var oid = id.oid
        var commit: OpaquePointer?
        let code = git_commit_lookup(&commit, handle, &oid)
        guard code == 0, let commit else { throw missing("\(id), a commit of \(reference)", code) }
        defer { git_commit_free(commit) }
        return try describe(commit, of: reference)
    }

    private func describe(_ commit: OpaquePointer, of reference: String) throws -> MainCommit {
        guard let id = git_commit_id(commit), let tree = git_commit_tree_id(commit) else {
            throw missing(reference, -1)
        }
        return MainCommit(
            id: ObjectID(id.pointee),
            tree: ObjectID(tree.pointee),
            firstParent: git_commit_parent_id(commit, 0).map { ObjectID($0.pointee) },
            seconds: Double(git_commit_time(commit))
        )
    }

    /// What stands at a path of a commit's tree; nil where there is nothing.
    func entry(_ path: String, of commit: MainCommit) throws -> TreeEntry? {
        var oid = commit.tree.oid
        var tree: OpaquePointer?
        var code = git_tree_lookup(&tree, handle, &oid)
        guard code == 0 else { throw missing("the tree of \(commit.id)", code) }
        defer { git_tree_free(tree) }
        var entry: OpaquePointer?
        code = git_tree_entry_bypath(&entry, tree, path)
        guard code != GIT_ENOTFOUND.rawValue else {
            // A folder on the way that is not there looks the same as no entry at all.
            try refuseMissingFolder(on: path, of: tree, commit)
            return nil
        }
        guard code == 0, let entry else { throw missing("\(path) of \(commit.id)", code) }
        defer { git_tree_entry_free(entry) }
        guard let id = git_tree_entry_id(entry) else { return nil }
        let kind: TreeEntry.Kind =
            switch git_tree_entry_filemode(entry) {
            case GIT_FILEMODE_TREE: .folder
            case GIT_FILEMODE_COMMIT: .other
            default: .file
            }
        return TreeEntry(name: path, kind: kind, object: ObjectID(id.pointee))
    }

    private func refuseMissingFolder(
        on path: String,
        of tree: OpaquePointer?,
        _ commit: MainCommit
    ) throws {
        guard path.contains("/"),
            let first = path.split(separator: "/").first.map(String.init),
            let entry = git_tree_entry_byname(tree, first), let id = git_tree_entry_id(entry),
            git_tree_entry_type(entry) == GIT_OBJECT_TREE
        else { return }
        var oid = id.pointee
        var folder: OpaquePointer?
        let code = git_tree_lookup(&folder, handle, &oid)
        git_tree_free(folder)
        guard code == 0 else { throw missing("\(first) of \(commit.id)", code) }
    }

    /// The bytes of a pin.
    func pin(_ object: ObjectID, _ source: PinSource) throws -> Data {
        var oid = object.oid
        var blob: OpaquePointer?
        let code = git_blob_lookup(&blob, handle, &oid)
        guard code == 0 else { throw missing(source.text, code) }
        defer { git_blob_free(blob) }
        let bytes = Int(git_blob_rawsize(blob))
        guard bytes <= ReferencePin.bytesMax else {
            throw PruneError.pinUnreadable(place: source.text, reason: "it has \(bytes) bytes.")
        }
        guard let content = git_blob_rawcontent(blob) else { return Data() }
        return Data(bytes: content, count: bytes)
    }

    private func missing(_ what: String, _ code: Int32) -> PruneError {
        .historyMissing(what: what, repository: path, reason: GitLibrary.reason(code))
    }
}

enum GitReferences {
    /// All references of a repository with the object each leads to, sorted by name; a symbolic
    /// one that leads nowhere (`origin/HEAD` of a deleted branch) is left out.
    static func all(
        of repository: OpaquePointer,
        path: String
    ) throws -> [(name: String, object: ObjectID)] {
        var iterator: OpaquePointer?
        try GitLibrary.check(
            git_reference_iterator_new(&iterator, repository),
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
            let resolved = git_reference_name_to_id(&oid, repository, name)
            if resolved == GIT_ENOTFOUND.rawValue { continue }
            try GitLibrary.check(resolved, "read \(text) of \(path)")
            found.append((text, ObjectID(oid)))
        }
        return found.sorted { $0.name < $1.name }
    }
}
