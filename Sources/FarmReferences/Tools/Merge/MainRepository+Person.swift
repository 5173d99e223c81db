// The committer that Git is configured with in the main repository.
import FarmCore
import FarmGit

extension MainRepository {
    /// Returns `Name <mail>` of the repository that contains a folder, or `nil` if there is none or
    /// Git has no name.
    package static func person(of folder: String) -> String? {
        (try? MainRepository(containing: folder))?.repository.person
    }
}
