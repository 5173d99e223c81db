// The pin on a branch of the main repository elsewhere, read and committed by Git alone, so that
// any Git host will do. Nothing is checked out: a bare repository in a scratch folder gets the
// branch's newest commit without its files, and the pin.
//
// Invariants
//   - The commit's parent is the branch as it was read, and its tree differs in the pin alone.
//   - No push is forced: what somebody else pushed meanwhile is read, and stays.
import FarmCore
import FarmGit
import Foundation

/// A branch of a repository, as far as its pin is concerned; for one thread.
package struct PinBranch {
    /// The branch as it was read.
    package struct Head: Sendable {
        package let commit: ObjectID
        let tree: ObjectID
        /// Nil where nothing stands at the pin's path.
        package let pin: PinForm?
    }

    package let name: String
    package let location: StoreLocation
    /// From the root of the repository, with `/`.
    package let pinPath: String
    let git: GitProgram

    /// What a fetch writes; no branch of anybody is called like it.
    private static let reference = "refs/snapfarm/branch"

    /// `scratch` is where a bare repository is made: nothing may be there.
    ///
    /// - Throws: `PinBranchError.badName` for what Git takes for no name of a branch.
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

    /// Fetches the branch as it is now.
    ///
    /// - Throws: `PinBranchError`; `MergeError.notAPin` where something else stands in its place.
    package func read() throws -> Head {
        try fetch(branch, filter: .noBlobs)
        var head = try fetched()
        if let entry = head.entry, entry.kind == .file, !head.isThere {
            // A server that gives no object by its id sends all files of the commit.
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

    /// Fetches a commit, and behind it others down to a depth, with what the filter lets pass.
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

    /// Whether a commit differs from one that was made here in nothing but the pin.
    ///
    /// True also where `tested` is the merge that a CI made of a target branch and the commit before
    /// ours: what it tested of this branch is that commit. False where the host does not give it.
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

    /// Whether a run of this commit was one of this branch: the commit is among the branch's newest,
    /// or it is the merge that a CI made of a target branch and one of those.
    ///
    /// Fetches many commits into the scratch repository: who commits afterwards does so elsewhere.
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

    // MARK: speaking

    /// Tries again after a lost connection; says the repository's errors as its own.
    func speaking<Result>(_ call: () throws -> Result) throws -> Result {
        do {
            return try git.access.retrying(call)
        } catch let error as RemoteError {
            throw PinBranchError.remote(error, kind: location.kind)
        }
    }
}
