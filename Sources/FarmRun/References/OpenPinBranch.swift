// The branch of the main repository that an approval is committed to: opened before anything is
// decided, because its pin, not the work tree's, is what the new references are made over.
import FarmCore
import FarmDrivers
import FarmGit
import FarmReferences
import Foundation

/// A branch with its pin as it was read; its scratch folder goes with the value.
final class OpenPinBranch {
    let branch: PinBranch
    let head: PinBranch.Head
    private let access: RemoteAccess
    /// What was committed through this value.
    private(set) var made: PinCommit?
    private let scratch: OwnedFolder

    init(
        _ name: String,
        of location: StoreLocation,
        pinPath: String,
        access: RemoteAccess
    ) throws {
        self.access = access
        scratch = try OwnedFolder("branch")
        do {
            branch = try PinBranch(
                name,
                of: location,
                pinPath: pinPath,
                access: access,
                scratch: scratch.path + "/main.git"
            )
            head = try branch.read()
        } catch {
            scratch.remove()
            throw error
        }
    }

    deinit { scratch.remove() }

    /// Whether a run of this commit was one of this branch.
    func holds(_ tested: ObjectID) throws -> Bool {
        try PinBranch(
            branch.name,
            of: branch.location,
            pinPath: branch.pinPath,
            access: access,
            scratch: scratch.path + "/history.git"
        ).holds(tested)
    }

    /// Commits a pin that was made over `head`'s; `join` is asked where that has moved.
    func commit(
        _ pin: ReferencePin,
        note: PinCommitNote,
        joining join: (PinForm?) throws -> ReferencePin
    ) throws -> PinCommit {
        let commit = try branch.commit(pin, over: head, note: note, joining: join)
        made = commit
        return commit
    }
}

extension ReferencePlace {
    /// Opens a branch of the main repository.
    ///
    /// `repository` is a URL or a path; nil: what the work tree calls `origin`. The token for HTTPS is
    /// `SNAPFARM_REPOSITORY_TOKEN`: the store's is for the store's host alone.
    /// - Throws: `RefsError`, `PinBranchError`.
    func openBranch(_ name: String, of repository: String?) throws -> OpenPinBranch {
        let root = try mainWorkTree().root
        let git = GitCommand(folder: root, environment: environment)
        guard let text = try repository ?? git.setting("remote.origin.url") else {
            throw RefsError.badOption(
                "--commit \(name)",
                "the repository has no remote `origin`; name one: --repository URL"
            )
        }
        let working = FileManager.default.currentDirectoryPath
        let location: StoreLocation
        do throws(StoreLocationError) {
            location = try StoreLocation(
                parsing: text,
                relativeTo: repository == nil ? root : working
            )
        } catch .refused(let shown, let fact) {
            throw RefsError.badOption("--repository \(shown)", fact)
        }
        var access = RemoteAccess.own(environment)
        access.token = environment["SNAPFARM_REPOSITORY_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
        return try OpenPinBranch(
            name,
            of: location,
            pinPath: try pinInRepository(root),
            access: access
        )
    }
}
