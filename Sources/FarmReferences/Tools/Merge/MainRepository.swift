// The tested project's own repository, as far as pins are concerned: which pin a commit has, what
// two branches have in common, and the three pins of a merge that Git left to a person.
import FarmCore
import FarmFiles
import FarmGit
import Foundation

/// What a commit has in the place of the pin.
package enum PinForm: Hashable, Sendable {
    /// `snapfarm.refs`.
    case text(ReferencePin)
    /// A submodule entry: the id of a set.
    case gitlink(ObjectID)
}

/// The three versions of a pin in an unfinished merge; nil where a side has none.
package struct PinStages: Hashable, Sendable {
    package var base: PinForm?
    package var ours: PinForm?
    package var theirs: PinForm?
}

/// An open repository of the project; not safe from two threads at once.
package final class MainRepository {
    let repository: GitRepository
    /// Fetches an object that a partial clone left out.
    private let fetch: (ObjectID) throws -> Void
    /// As given.
    package var path: String { repository.path }

    /// Opens the repository that a folder lies in.
    ///
    /// `fetch` downloads an object that a partial clone left out; the default downloads nothing.
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

    /// The folder of the checked-out files, without a slash at the end; nil in a bare repository.
    package var workTree: String? { repository.workTree }

    /// The branch that is checked out; nil where that is a commit, or nothing is committed yet.
    package var branch: String? { repository.branch }

    /// Whether Git left objects out of this clone.
    package var isPartial: Bool { repository.isPartial }

    /// The commit that a branch, a tag or an id names.
    package func commit(_ revision: String) throws -> ObjectID {
        do {
            return try repository.commit(named: revision)
        } catch {
            throw MergeError.unknownRevision(revision, repository: path)
        }
    }

    /// The newest commit that both have; nil where they have none.
    package func mergeBase(_ one: ObjectID, _ other: ObjectID) throws -> ObjectID? {
        try using { repository throws(GitError) in try repository.mergeBase(one, other) }
    }

    /// The pin of a commit; nil where it has nothing at the path (relative to the root, with `/`).
    package func pin(_ pinPath: String, at commit: ObjectID) throws -> PinForm? {
        let entry = try using { repository throws(GitError) in
            try repository.entry(at: pinPath, of: try repository.commit(commit).tree)
        }
        return try entry.map { try form($0, pinPath, at: String(commit.hex.prefix(12))) }
    }

    /// The versions of the pin that an unfinished merge has; nil where it is not in conflict.
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
            // One byte more than a pin may have: its reader refuses it with the right words.
            return .text(
                try ReferencePin(
                    parsing: bytes.prefix(ReferencePin.bytesMax + 1),
                    file: "\(revision):\(pinPath)"
                )
            )
        case .folder, .other: throw MergeError.notAPin(path: pinPath, revision: revision)
        }
    }

    /// Whether a file is tracked and not checked out, because the work tree is sparse.
    package func isLeftOut(_ path: String) throws -> Bool {
        try using { repository throws(GitError) in
            try GitIndex(of: repository).isLeftOut(path)
        }
    }

    /// Asks Git, and says its failure as one of the main repository.
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
    /// The references that a pin of either form names; none where there is no pin.
    package func pin(of form: PinForm?) throws -> ReferencePin {
        switch form {
        case nil: ReferencePin()
        case .text(let pin): pin
        case .gitlink(let set): try pin(ofSet: set)
        }
    }

}
