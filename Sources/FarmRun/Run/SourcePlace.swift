// Which commit a run is of: what the CI says, else what is checked out around the pipeline file.
import FarmCore
import FarmGit

struct SourcePlace: Sendable {
    /// Empty where nobody knows.
    let commit: String
    let branch: String
    /// Why neither is known although the folder lies in a repository; nil: it does not, or they are.
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
