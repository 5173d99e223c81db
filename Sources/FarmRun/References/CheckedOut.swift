// The branch and commit of the work tree around a folder, read by libgit2, or by the program git if
// libgit2 refuses an extension of the repository.
import FarmCore
import FarmGit
import FarmReferences

/// The root, commit and branch of the work tree around a folder.
package struct CheckedOut: Sendable {
    /// The path of the work tree's root, or `nil` outside of a work tree.
    package private(set) var root: String?
    /// The hash of the checked-out commit; empty if nothing is committed.
    private(set) var commit = ""
    /// The name of the checked-out branch; empty if a commit is checked out.
    private(set) var branch = ""
    /// The reason why libgit2 cannot read the repository; `nil` if it can, or if there is none.
    private(set) var obstacle: GitError?

    init(around folder: String, _ environment: [String: String]) {
        do {
            let main = try MainRepository(containing: folder)
            root = main.workTree
            commit = (try? main.commit("HEAD"))?.hex ?? ""
            branch = main.branch ?? ""
        } catch let error as GitError {
            obstacle = error
            ask(GitCommand(folder: folder, environment: environment))
        } catch {
            // No repository is around the folder.
            return
        }
    }

    private mutating func ask(_ git: GitCommand) {
        root = try? git.line(["rev-parse", "--show-toplevel"])
        commit = (try? git.line(["rev-parse", "--verify", "--quiet", "HEAD"])) ?? ""
        branch = (try? git.line(["symbolic-ref", "--short", "--quiet", "HEAD"])) ?? ""
    }
}

extension ReferencePlace {
    /// The root, commit and branch of the work tree around the pipeline file or the pin.
    package var checkedOut: CheckedOut { CheckedOut(around: folder, environment) }
}
