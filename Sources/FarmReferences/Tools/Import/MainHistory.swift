// The history of a main repository for an import, read with libgit2: first parents only, and of
// each commit only the changed files.
import FarmCore
import FarmGit
import Foundation

/// An open main repository; not safe to use from two threads at once.
final class MainHistory {
    /// The largest number of commits: ten years of a busy repository.
    private static let commitsMax = 1_000_000
    private static let subjectBytesMax = 200

    private let repository: GitRepository
    private let folder: String

    /// Opens a repository; reads only changes below `folder`, or all if it is empty.
    init(opening path: String, folder: String) throws {
        do {
            repository = try GitRepository(containing: path)
        } catch {
            if case .unsupported = error { throw error }
            throw CheckoutError.notAWorkTree(path: path, reason: error.reason)
        }
        self.folder = folder
        guard !repository.isShallow else { throw ImportFault.shallow(path: path) }
    }

    /// Reads the bytes of a picture.
    func read(_ object: ObjectID) throws -> Data {
        try whole { repository throws(GitError) in
            try repository.blob(
                object,
                bytesMax: FarmLimits.pictureBytesMax,
                what: "picture \(object)"
            )
        }
    }

    /// Returns a commit and its first parents, oldest first; long summaries are cut.
    func firstParents(of revision: String) throws -> [GitCommit] {
        var commits: [GitCommit] = []
        var next: ObjectID? = try repository.commit(named: revision)
        while let id = next {
            guard commits.count < Self.commitsMax else {
                throw ImportFault.tooManyCommits(Self.commitsMax)
            }
            var commit = try repository.commit(id)
            commit.summary = String(commit.summary.prefix(Self.subjectBytesMax))
            commit.message = ""
            commits.append(commit)
            next = commit.parents.first
        }
        return commits.reversed()
    }

    /// Returns the changed files between two trees.
    ///
    /// `nil` is the empty tree before the first commit.
    func changes(from old: ObjectID?, to new: ObjectID) throws -> [GitRepository.FileChange] {
        try whole { [folder] repository throws(GitError) in
            try repository.changes(from: old, to: new, below: folder)
        }
    }

    /// Runs `body` on the repository.
    ///
    /// - Throws: the error of `body`; for a partial clone, `ImportFault.partial`, which says how to
    ///   fetch the missing objects: fetching them one by one would take hours.
    private func whole<Value>(
        _ body: (GitRepository) throws(GitError) -> Value
    ) throws -> Value {
        do {
            return try body(repository)
        } catch {
            guard repository.isPartial else { throw error }
            throw ImportFault.partial(path: repository.path, reason: error.reason)
        }
    }
}
