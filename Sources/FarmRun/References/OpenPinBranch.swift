// The branch of the main repository that an approval is committed to. It is opened before anything
// is decided, because the new references are based on its pin, not on the work tree's.
import FarmCore
import FarmDrivers
import FarmGit
import FarmReferences
import Foundation

/// An open branch with its pin; its scratch folder is removed with the value.
final class OpenPinBranch {
    let branch: PinBranch
    let head: PinBranch.Head
    private let access: RemoteAccess
    /// The commit that was made through this value, or `nil` if none was made yet.
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

    /// Whether a commit is among the branch's newest, or is a CI's merge of one of them.
    func holds(_ tested: ObjectID) throws -> Bool {
        try PinBranch(
            branch.name,
            of: branch.location,
            pinPath: branch.pinPath,
            access: access,
            scratch: scratch.path + "/history.git"
        ).holds(tested)
    }

    /// Commits a pin that is based on the pin of `head`; if the branch's pin has changed since,
    /// `join` merges both.
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
    /// `repository` is a URL or a path; if `nil`, the work tree's `origin`. The token for HTTPS is
    /// `SNAPFARM_REPOSITORY_TOKEN`, because the store's token is only for the store's host.
    ///
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
