// The pin on a branch of a remote main repository. It is read and committed with Git alone, so that
// any Git host works. Nothing is checked out: a bare repository in a scratch folder gets the
// branch's newest commit without its files, and the pin.
//
// Invariants
//   - The commit's parent is the branch as it was read, and its tree differs only in the pin.
//   - No push is forced: a commit that another process pushed meanwhile is read, and stays.
import FarmCore
import FarmGit
import Foundation

/// A branch of a repository, as far as its pin is concerned; for use by one thread.
package struct PinBranch {
    /// The state of the branch when it was read.
    package struct Head: Sendable {
        package let commit: ObjectID
        let tree: ObjectID
        /// The pin, or `nil` if nothing is at the pin's path.
        package let pin: PinForm?
    }

    package let name: String
    package let location: StoreLocation
    /// The pin's path from the root of the repository, with `/`.
    package let pinPath: String
    let git: GitProgram

    /// The reference that a fetch writes; its name cannot be that of a branch.
    private static let reference = "refs/snapfarm/branch"

    /// Creates a bare repository at `scratch`, where nothing may exist.
    ///
    /// - Throws: `PinBranchError.badName` if Git does not accept the name of the branch.
    package init(
        _ name: String,
        of location: StoreLocation,
        pinPath: String,
        access: RemoteAccess,
        scratch: String
    ) throws {
        self.name = name
        self.location = location
        self.pinPath = pinPath
        git = GitProgram(access: access, location: location, folder: scratch)
        try GitProgram.check(access)
        try GitRepository.create(at: scratch)
        try GitRepository(opening: scratch)
            .configure([("remote.\(GitProgram.remote).url", location.url)])
        guard case .done = try git.answer(["check-ref-format", branch], doing: "reading a name")
        else { throw PinBranchError.badName(name) }
    }

    var branch: String { "refs/heads/\(name)" }

    // MARK: reading

    /// Fetches the present state of the branch.
    ///
    /// - Throws: `PinBranchError`; `MergeError.notAPin` if something else is at the pin's path.
    package func read() throws -> Head {
        try fetch(branch, filter: .noBlobs)
        var head = try fetched()
        if let entry = head.entry, entry.kind == .file, !head.isThere {
            // From a server that sends no object by id, fetches the commit with all files.
            let answer = try speaking {
                try git.fetch([entry.object.hex], filter: .none, doing: "fetching the pin")
            }
            if case .refused = answer {
                try fetch(branch, filter: .none)
                head = try fetched()
            }
        }
        let main = try MainRepository(containing: git.folder)
        return Head(
            commit: head.commit.id,
            tree: head.commit.tree,
            pin: try main.pin(pinPath, at: head.commit.id)
        )
    }

    private func fetched() throws -> (commit: GitCommit, entry: TreeEntry?, isThere: Bool) {
        let repository = try GitRepository(opening: git.folder)
        guard let object = try repository.target(of: Self.reference) else {
            throw PinBranchError.noBranch(name, repository: "\(location)")
        }
        let commit = try repository.commit(object)
        let entry = try repository.entry(at: pinPath, of: commit.tree)
        return (commit, entry, entry.map { repository.holds($0.object) } ?? true)
    }

    /// Fetches a commit and its ancestors down to a depth, with the objects that the filter allows.
    private func fetch(_ source: String, filter: GitProgram.Filter, depth: Int = 1) throws {
        let options = [
            "--depth=\(depth)", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules",
            "--no-auto-gc", "--progress",
            filter == .none ? "--no-filter" : "--filter=\(filter.rawValue)",
        ]
        let words =
            ["-c", "fetch.negotiationAlgorithm=noop", "fetch"] + options
            + [GitProgram.remote, "+\(source):\(Self.reference)"]
        try speaking {
            switch try git.answer(words, doing: "fetching the branch \(name)") {
            case .done: return
            case .failed(let failure):
                guard !failure.text.contains("couldn't find remote ref") else {
                    throw PinBranchError.noBranch(name, repository: "\(location)")
                }
                throw failure.error
            }
        }
    }

    /// Whether a tested commit differs only in the pin from one that was made here.
    ///
    /// Also true if `tested` is a CI's merge of a target branch with the parent of our commit: what
    /// it tested of this branch is that parent. False if the host does not send `tested`.
    package func isOnlyThePin(from tested: ObjectID, to made: PinCommit) throws -> Bool {
        if tested == made.parent { return true }
        do {
            try fetch(tested.hex, filter: .noBlobs)
        } catch is PinBranchError {
            return false
        }
        let repository = try GitRepository(opening: git.folder)
        let old = try repository.commit(tested)
        if let parent = made.parent, old.parents.count == 2, old.parents[1] == parent {
            return true
        }
        let new = try repository.commit(made.commit)
        guard let entry = try repository.entry(at: pinPath, of: new.tree) else { return false }
        let moved = try repository.tree(
            old.tree,
            with: (entry.kind, entry.object),
            at: pinPath
        )
        return moved == new.tree
    }

    /// Whether a run of this commit tested this branch: the commit is among the branch's newest, or
    /// it is a CI's merge of a target branch with one of them.
    ///
    /// Fetches many commits into the scratch repository, so use another one for committing.
    package func holds(_ tested: ObjectID) throws -> Bool {
        try fetch(branch, filter: .noTrees, depth: FarmLimits.branchCommitsMax)
        let repository = try GitRepository(opening: git.folder)
        guard let head = try repository.target(of: Self.reference) else {
            throw PinBranchError.noBranch(name, repository: "\(location)")
        }
        var newest: Set<ObjectID> = [head]
        var unread = [head]
        while let commit = unread.popLast() {
            for parent in try repository.commit(commit).parents
            where repository.holds(parent) && newest.insert(parent).inserted {
                unread.append(parent)
            }
        }
        if newest.contains(tested) { return true }
        do {
            try fetch(tested.hex, filter: .noTrees)
        } catch is PinBranchError {
            return false
        }
        let parents = try GitRepository(opening: git.folder).commit(tested).parents
        return parents.count == 2 && newest.contains(parents[1])
    }

    // MARK: errors

    /// Runs `call`, and runs it again after a lost connection.
    ///
    /// Throws a remote's errors as `PinBranchError`.
    func speaking<Result>(_ call: () throws -> Result) throws -> Result {
        do {
            return try git.access.retrying(call)
        } catch let error as RemoteError {
            throw PinBranchError.remote(error, kind: location.kind)
        }
    }
}
