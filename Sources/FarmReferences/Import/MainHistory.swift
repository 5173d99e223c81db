// The history of a main repository as an import reads it, with libgit2: first parents only, and
// between two of them only what changed.
import CGit2
import FarmCore
import Foundation

/// An open main repository; not safe to use from two threads at once.
final class MainHistory {
    struct Commit {
        var id: ObjectID
        var tree: ObjectID
        var seconds: Int64
        var subject: String
    }

    /// A regular file that is new, changed, or gone (`object` is nil).
    struct Change {
        var path: String
        var object: ObjectID?
    }

    /// Ten years of a busy repository.
    private static let commitsMax = 1_000_000
    private static let subjectBytesMax = 200

    private let repository: GitRepository
    private let work: OpaquePointer
    private let folder: String

    /// Only changes below `folder` are read; empty for all.
    init(opening path: String, folder: String) throws {
        try GitLibrary.start()
        var found: OpaquePointer?
        guard git_repository_open_ext(&found, path, 0, nil) == 0, let found else {
            throw CheckoutError.notAWorkTree(path: path, reason: GitLibrary.reason(-1))
        }
        work = found
        let common = git_repository_commondir(found).map { String(cString: $0) } ?? path
        do {
            repository = try GitRepository(opening: common)
        } catch {
            git_repository_free(found)
            throw error
        }
        self.folder = folder
        guard git_repository_is_shallow(found) == 0 else { throw ImportFault.shallow(path: path) }
    }

    deinit { git_repository_free(work) }

    /// The bytes of a picture.
    func read(_ object: ObjectID) throws -> Data {
        try repository.blob(
            object,
            bytesMax: FarmLimits.pictureBytesMax,
            what: "picture \(object)"
        )
    }

    /// A commit and its first parents, the oldest first.
    func firstParents(of revision: String) throws -> [Commit] {
        var object: OpaquePointer?
        try GitLibrary.check(
            git_revparse_single(&object, work, revision),
            "find \(revision) in \(repository.path)"
        )
        defer { git_object_free(object) }
        var peeled: OpaquePointer?
        try GitLibrary.check(
            git_object_peel(&peeled, object, GIT_OBJECT_COMMIT),
            "find the commit \(revision) in \(repository.path)"
        )
        var commits: [Commit] = []
        while let commit = peeled {
            defer { git_object_free(commit) }
            guard commits.count < Self.commitsMax else {
                throw ImportFault.tooManyCommits(Self.commitsMax)
            }
            guard let id = git_commit_id(commit), let tree = git_commit_tree_id(commit) else {
                break
            }
            let subject = git_commit_summary(commit).map { String(cString: $0) } ?? ""
            commits.append(
                Commit(
                    id: ObjectID(id.pointee),
                    tree: ObjectID(tree.pointee),
                    seconds: git_commit_time(commit),
                    subject: String(subject.prefix(Self.subjectBytesMax))
                )
            )
            peeled = nil
            guard git_commit_parentcount(commit) > 0 else { break }
            try GitLibrary.check(
                git_commit_parent(&peeled, commit, 0),
                "read the history of \(repository.path)"
            )
        }
        return commits.reversed()
    }

    /// What changed between two trees; nil is the tree before the first commit.
    func changes(from old: ObjectID?, to new: ObjectID) throws -> [Change] {
        guard old != new else { return [] }
        let oldTree = try old.map { try repository.lookUp($0, GIT_OBJECT_TREE) } ?? nil
        defer { git_object_free(oldTree) }
        let newTree = try repository.lookUp(new, GIT_OBJECT_TREE)
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
                return git_diff_tree_to_tree(&diff, repository.handle, oldTree, newTree, &options)
            }
        }
        try GitLibrary.check(code, "compare two commits of \(repository.path)")
        defer { git_diff_free(diff) }
        return (0..<git_diff_num_deltas(diff)).compactMap { index in
            git_diff_get_delta(diff, index).flatMap { Self.change($0.pointee) }
        }
    }

    private static func change(_ delta: git_diff_delta) -> Change? {
        let mode = UInt32(delta.new_file.mode)
        let isFile =
            mode == GIT_FILEMODE_BLOB.rawValue || mode == GIT_FILEMODE_BLOB_EXECUTABLE.rawValue
        let object = isFile ? ObjectID(delta.new_file.id) : nil
        guard let text = object == nil ? delta.old_file.path : delta.new_file.path,
            let path = String(validatingCString: text)
        else { return nil }
        return Change(path: path, object: object)
    }
}
