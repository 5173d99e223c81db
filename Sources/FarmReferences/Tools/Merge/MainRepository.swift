// The main repository, as far as pins are concerned: the pin of a commit, the merge base of two
// branches, and the three pins of a merge with conflicts.
import FarmCore
import FarmFiles
import FarmGit
import Foundation

/// The form of a pin in a commit.
package enum PinForm: Hashable, Sendable {
    /// The pin is text, the content of `snapfarm.refs`.
    case text(ReferencePin)
    /// The pin is a submodule entry with the id of a set.
    case gitlink(ObjectID)
}

/// The three versions of a pin in an unfinished merge; `nil` if a side has none.
package struct PinStages: Hashable, Sendable {
    package var base: PinForm?
    package var ours: PinForm?
    package var theirs: PinForm?
}

/// An open main repository; not safe to use from two threads at once.
package final class MainRepository {
    let repository: GitRepository
    /// Fetches an object that a partial clone lacks.
    private let fetch: (ObjectID) throws -> Void
    /// The path of the repository, as the caller gave it.
    package var path: String { repository.path }

    /// Opens the repository that contains a folder.
    ///
    /// `fetch` downloads an object that a partial clone lacks; the default downloads nothing.
    /// - Throws: `GitError.unsupported`, `MergeError.mainRepository`.
    package init(
        containing path: String,
        fetch: @escaping (ObjectID) throws -> Void = { _ in }
    ) throws {
        self.fetch = fetch
        do {
            repository = try GitRepository(containing: path)
        } catch {
            if case .unsupported = error { throw error }
            throw MergeError.mainRepository(path: path, reason: error.reason)
        }
    }

    /// The work tree's folder without a trailing slash, or `nil` in a bare repository.
    package var workTree: String? { repository.workTree }

    /// The checked-out branch, or `nil` if a commit is checked out or nothing is committed yet.
    package var branch: String? { repository.branch }

    /// Whether the repository is a partial clone, which lacks objects until they are needed.
    package var isPartial: Bool { repository.isPartial }

    /// Returns the commit that a branch, a tag or an id names.
    package func commit(_ revision: String) throws -> ObjectID {
        do {
            return try repository.commit(named: revision)
        } catch {
            throw MergeError.unknownRevision(revision, repository: path)
        }
    }

    /// Returns the newest common ancestor of two commits, or `nil` if they have none.
    package func mergeBase(_ one: ObjectID, _ other: ObjectID) throws -> ObjectID? {
        try using { repository throws(GitError) in try repository.mergeBase(one, other) }
    }

    /// Returns the pin of a commit, or `nil` if nothing is at the path (relative to the root, with
    /// `/`).
    package func pin(_ pinPath: String, at commit: ObjectID) throws -> PinForm? {
        let entry = try using { repository throws(GitError) in
            try repository.entry(at: pinPath, of: try repository.commit(commit).tree)
        }
        return try entry.map { try form($0, pinPath, at: String(commit.hex.prefix(12))) }
    }

    /// Returns the versions of the pin in an unfinished merge, or `nil` if the pin is not in
    /// conflict.
    package func conflict(_ pinPath: String) throws -> PinStages? {
        let stages = try using { repository throws(GitError) in
            try GitIndex(of: repository).conflict(at: pinPath)
        }
        guard let stages else { return nil }
        func form(_ entry: TreeEntry?, _ side: MergeSide) throws -> PinForm? {
            try entry.map { try self.form($0, pinPath, at: side.rawValue) }
        }
        return PinStages(
            base: try form(stages.base, .base),
            ours: try form(stages.ours, .ours),
            theirs: try form(stages.theirs, .theirs)
        )
    }

    private func form(
        _ entry: TreeEntry,
        _ pinPath: String,
        at revision: String
    ) throws -> PinForm {
        switch entry.kind {
        case .submodule: return .gitlink(entry.object)
        case .file:
            if isPartial, !repository.holds(entry.object) { try fetch(entry.object) }
            let bytes = try using { repository throws(GitError) in
                try repository.blob(entry.object, bytesMax: .max, what: pinPath)
            }
            // Passes one byte more than a pin may have, so that the parser refuses it with its own
            // message.
            return .text(
                try ReferencePin(
                    parsing: bytes.prefix(ReferencePin.bytesMax + 1),
                    file: "\(revision):\(pinPath)"
                )
            )
        case .folder, .other: throw MergeError.notAPin(path: pinPath, revision: revision)
        }
    }

    /// Whether Git tracks a file that is not checked out because the work tree is sparse.
    package func isSkippedBySparseCheckout(_ path: String) throws -> Bool {
        try using { repository throws(GitError) in
            try GitIndex(of: repository).isSkippedBySparseCheckout(path)
        }
    }

    /// Runs `body`, and rethrows its failure as an error of the main repository.
    func using<Value>(
        _ body: (GitRepository) throws(GitError) -> Value
    ) throws -> Value {
        do {
            return try body(repository)
        } catch {
            if case .unsupported = error { throw error }
            let hint =
                isPartial
                ? "; this clone is partial, `git fetch --refetch --no-filter` makes it whole" : ""
            throw MergeError.mainRepository(path: path, reason: error.reason + hint)
        }
    }
}

extension ReferenceStore {
    /// Returns the text form of a pin in either form, or an empty pin for `nil`.
    package func pin(of form: PinForm?) throws -> ReferencePin {
        switch form {
        case nil: ReferencePin()
        case .text(let pin): pin
        case .gitlink(let set): try pin(ofSet: set)
        }
    }

}
