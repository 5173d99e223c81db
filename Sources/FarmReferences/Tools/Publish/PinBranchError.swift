// The errors of committing a pin to a branch of the main repository. The branch stays as it was; a
// set that was pushed remains, but no pin names it.
import FarmCore
import FarmGit

/// An error of committing a pin; `repository` is the masked location.
package enum PinBranchError: ExplainedError, Equatable {
    case badName(String)
    case noBranch(String, repository: String)
    /// The host refused the push.
    case refused(String, repository: String, reason: String)
    /// Other processes kept pushing to the branch.
    case moving(String, repository: String)
    /// The branch's pin has moved meanwhile, and both sides changed these pictures.
    case conflict(String, [SnapshotID])
    case remote(RemoteError, kind: StoreLocation.Kind)

    package var code: String {
        switch self {
        case .badName: "branch-name-invalid"
        case .noBranch: "branch-missing"
        case .refused: "branch-refused"
        case .moving: "branch-moving"
        case .conflict: "branch-conflict"
        case .remote(let error, _): error.code
        }
    }

    package var exit: ExitCode {
        switch self {
        case .badName: .usage
        case .noBranch: .invalidInput
        case .refused: .configuration
        case .moving: .busy
        case .conflict: .differences
        case .remote(let error, _): error.exit
        }
    }

    package var message: String {
        switch self {
        case .badName(let name): "\(name.prefix(200).debugDescription) is no name of a branch."
        case .noBranch(let name, let repository): "\(repository): there is no branch \(name)."
        case .refused(let name, let repository, let reason):
            "\(repository): the commit to \(name) was refused: \(reason)."
        case .moving(let name, let repository): "\(repository): others keep pushing to \(name)."
        case .conflict(let name, let pictures):
            "others changed \(pictures.count) of these pictures on \(name) meanwhile: "
                + pictures.prefix(Self.picturesShown).map(\.text).joined(separator: ", ")
                + (pictures.count > Self.picturesShown ? " …" : "") + "."
        case .remote(let error, _): error.message
        }
    }

    package var remedy: String {
        switch self {
        case .badName, .noBranch: "Name a branch of the main repository: --commit BRANCH."
        case .refused:
            """
            Nothing was committed. Let this account push to the branch, or commit the pin by hand: \
            `snapfarm approve` without --commit.
            """
        case .moving: "Nothing was committed. Run the same command again."
        case .conflict:
            "Nothing was committed. Run the tests on the newest commit, and review that run."
        case .remote(.credentials, .ssh): "Load a key that may push to the repository (`ssh-add`)."
        case .remote(.credentials, _):
            "Set SNAPFARM_REPOSITORY_TOKEN to a token that may push to the repository."
        case .remote(.notFound, _): "Correct --repository URL."
        case .remote(let error, _): error.remedy
        }
    }

    private static let picturesShown = 10
}
