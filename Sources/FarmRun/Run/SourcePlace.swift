// The commit and branch of a run: from the CI, or else from the checkout around the pipeline file.
import FarmCore
import FarmGit

struct SourcePlace: Sendable {
    /// The hash of the run's commit; empty if it is unknown.
    let commit: String
    let branch: String
    /// The reason why Git could not name the commit; `nil` if it did or there is no repository.
    let obstacle: String?

    init(_ ci: CIEnvironment?, folder: String, _ environment: [String: String]) {
        if let ci {
            commit = ci.commit
            branch = ci.branch
            obstacle = nil
        } else {
            let found = CheckedOut(around: folder, environment)
            commit = found.commit
            branch = found.branch
            obstacle = found.commit.isEmpty ? found.obstacle?.message : nil
        }
    }
}
