// The history of a main repository as an import reads it, with libgit2: first parents only, and
// between two of them only what changed.
import FarmCore
import FarmGit
import Foundation

/// An open main repository; not safe to use from two threads at once.
final class MainHistory {
    /// Ten years of a busy repository.
    private static let commitsMax = 1_000_000
    private static let subjectBytesMax = 200

    private let repository: GitRepository
    private let folder: String

    /// Only changes below `folder` are read; empty for all.
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

    /// The bytes of a picture.
    func read(_ object: ObjectID) throws -> Data {
        try whole { repository throws(GitError) in
            try repository.blob(
                object,
                bytesMax: FarmLimits.pictureBytesMax,
                what: "picture \(object)"
            )
        }
    }

    /// A commit and its first parents, the oldest first; long summaries are cut.
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

    /// What changed between two trees; nil is the tree before the first commit.
    func changes(from old: ObjectID?, to new: ObjectID) throws -> [GitRepository.FileChange] {
        try whole { [folder] repository throws(GitError) in
            try repository.changes(from: old, to: new, below: folder)
        }
    }

    /// Says of a partial clone what to do about what it left out: one by one it would be fetched for
    /// hours.
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
